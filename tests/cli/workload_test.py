#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Workloads against a schedule that this file computes from the plans' cycles.

    workload_test.py GOSSAMER SOURCE CASE
"""
import json
import pathlib
import resource
import sys
import tempfile
import unittest

import yaml

from workload_runs import EXAMPLES, LINKS, NETWORK, answer, number, run


def simulated_cycles(collective, count, groups, directory):
    """Of the default plan, on the fast engine."""
    plan = pathlib.Path(directory) / "plan.json"
    groups = ["--groups", groups] if groups else []
    assert run("plan", collective, *NETWORK, "--bytes", count, *groups, "-o", plan).returncode == 0
    return answer("simulate", plan, "--engine", "fast", "--report", "-")["cycles"]


def schedule(steps, duration):
    """The end of each step, at 1 GHz. Of all steps that can begin, the one that begins first does."""
    end, free, waiting = {}, {True: 0, False: 0}, list(enumerate(steps))
    while waiting:
        choices = []
        for index, step in waiting:
            after = step.get("after", [steps[index - 1]["name"]] if index else [])
            after = [after] if isinstance(after, str) else after
            if all(name in end for name in after):
                ready = max((end[name] for name in after), default=0)
                choices.append((max(ready, free["compute" in step]), ready, index))
        begin, _, index = min(choices)
        step = steps[index]
        free["compute" in step] = end[step["name"]] = begin + duration(step) * step.get("repeat", 1)
        waiting.remove((index, step))
    return end


class Examples(unittest.TestCase):
    def check(self, steps):
        document = yaml.safe_dump({"steps": steps})
        result = answer("workload", "-", *NETWORK, "--json", text=document)
        rows = {(row["name"], row["bytes"], row["groups"]): row for row in result["collectives"]}
        key = lambda step: (step["collective"], number(step["bytes"]), step.get("groups"))
        with tempfile.TemporaryDirectory() as directory:
            cycles = {one: simulated_cycles(*one, directory) for one in rows}
        self.assertEqual({one: row["ns"] for one, row in rows.items()}, cycles)
        computed = sum(number(step["compute"]) * step.get("repeat", 1) for step in steps if "compute" in step)
        for network, of_row in ((result, lambda row: row["ns"]),
                                (result["conventional"], lambda row: row["conventional"]["ns"])):
            end = schedule(steps, lambda step: number(step["compute"]) if "compute" in step else of_row(rows[key(step)]))
            self.assertEqual(network["total_ns"], max(end.values()))
            self.assertEqual(network["exposed_ns"], max(end.values()) - computed)
            last = {run["step"]: run["end_ns"] for run in network["timeline"]}
            self.assertEqual(last, end)
            self.assertAlmostEqual(network["energy_pj"], sum(
                row["runs"] * (row if network is result else row["conventional"])["energy_pj"]
                for row in rows.values()), delta=1e-6 * network["energy_pj"])
        self.assertLess(result["total_ns"], result["conventional"]["total_ns"])

    def test_each_total_is_that_of_the_plans_and_dependencies(self):
        for file in sorted(EXAMPLES.glob("*.yaml")):
            with self.subTest(file.name):
                self.check(yaml.safe_load(file.read_text())["steps"])

    def test_megatron_layers_of_other_sizes(self):
        for factor in (1, 5):
            steps = yaml.safe_load((EXAMPLES / "megatron-layer.yaml").read_text())["steps"]
            for step in steps:
                if "bytes" in step:
                    step["bytes"] = f"{number(step['bytes']) // 2**10 * factor // 4}KiB"
                else:
                    step["compute"] = f"{number(step['compute']) // 1000 * factor // 3}us"
            with self.subTest(factor):
                self.check(steps)


class Limits(unittest.TestCase):
    def test_plans_and_contexts_are_written_and_run_in_the_order_of_the_workload(self):
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory) / "out"
            result = answer("workload", EXAMPLES / "megatron-layer.yaml", *NETWORK, "--plans-only", "--json", "-o", out)
            self.assertEqual(json.loads((out / "workload.json").read_text()), result)
            rows, contexts = result["collectives"], result["contexts"]
            self.assertEqual(sorted(file.name for file in out.iterdir()),
                             sorted([row["file"] for row in rows] + [contexts["file"], "workload.json"]))
            for row in rows:
                self.assertEqual(answer("verify", out / row["file"], "--json")["cycles"], row["cycles"])
            # Two all-reduces of different bytes in the columns share one.
            self.assertEqual([row["context"] for row in rows], [0, 1, 2, 2])
            order = [run["collective"] for run in result["timeline"] if run["collective"] is not None]
            self.assertEqual(contexts["rounds"], [rows[row]["context"] for row in order])
            rounds = answer("simulate", out / "contexts.json", "--rounds", ",".join(map(str, contexts["rounds"])),
                            "--report", "-")
            self.assertTrue(rounds["complete"])
            self.assertEqual(rounds["steps"], sum(rows[row]["steps"] for row in order))

    def test_a_barrier_takes_its_plan_and_conventionally_an_all_reduce_of_one_flit(self):
        barrier, flit = (answer("workload", "-", *NETWORK, "--json", text=yaml.safe_dump({"steps": [
            {"name": "a", "collective": name, **more}, {"name": "b", "collective": name, "groups": "x", **more}]}))
            for name, more in (("barrier", {}), ("all-reduce", {"bytes": "32B"})))
        # Half of a ring of 8 per dimension.
        self.assertEqual([row["cycles"] for row in barrier["collectives"]], [8, 4])
        self.assertEqual(barrier["total_ns"], 12)
        self.assertEqual([row["bytes"] for row in barrier["collectives"]], [1, 1])
        self.assertEqual([row["conventional"] for row in barrier["collectives"]],
                         [row["conventional"] for row in flit["collectives"]])

    def test_plans_that_are_no_contexts_are_named(self):
        steps = [{"name": "a", "collective": "reduce", "bytes": "64KiB"},
                 {"name": "b", "collective": "all-gather", "bytes": "64KiB"}]
        with tempfile.TemporaryDirectory() as directory:
            out = pathlib.Path(directory) / "out"
            done = run("workload", "-", *NETWORK, "--plans-only", "-o", out, text=yaml.safe_dump({"steps": steps}))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("\nnot a context: 0-reduce.json: output port ", done.stdout)
            self.assertNotIn("not a context: 1", done.stdout)
            self.assertFalse((out / "contexts.json").exists())

    def refused(self, document, status, message, *options):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "w.yaml"
            file.write_text(document)
            report = pathlib.Path(directory) / "r.json"
            done = run("workload", file, *NETWORK, "--report", report, *options)
            self.assertEqual(done.stderr, f"gossamer: {file}: {message}\n")
            self.assertEqual((done.returncode, done.stdout, report.exists()), (status, "", False))

    def test_wrong_workloads_are_refused_with_their_line(self):
        step = "steps:\n  - {name: a, %s}\n"
        gather = "collective: all-gather, bytes: 1KiB"
        self.refused(step % f"{gather}, groups: 3x1", 3,
                     'line 2: step "a": --groups: 3 times stride 1 does not divide side 8 (x); nearest feasible: --groups 4x1')
        self.refused(step % "collective: partial-gather, bytes: 1", 2,
                     'line 2: step "a": collective: partial-gather is not supported in a workload; there is all-gather, broadcast, '
                     'reduce-scatter, all-reduce, reduce, all-to-all, barrier')
        self.refused(step % "collective: barrier, bytes: 1", 2, "line 2: bytes: a barrier carries none")
        self.refused(step % "collective: all-gathr, bytes: 1", 2,
                     'line 2: step "a": collective: "all-gathr" is unknown (did you mean all-gather?); gossamer list shows all')
        self.refused(step % "compute: 1us, after: c" + "  - {name: b, compute: 1us}\n  - {name: c, compute: 1us}\n", 2,
                     'line 2: step "a": the step waits for itself: a after c after b after a')
        self.refused(step % "compute: 1us" + "  - {name: beta, compute: 1us, after: [a,\n    bet]}\n", 2,
                     'line 4: after: there is no step "bet" (did you mean beta?)')
        self.refused(step % "compute: 1us, afer: b", 2,
                     'line 2: unknown key "afer" (did you mean after?); there is name, compute, collective, bytes, groups, '
                     'group-stride, source, algorithm, repeat, after')
        self.refused(step % "compute: 1us" * 2, 2, 'line 3: the key "steps" is given twice')
        self.refused(step % "compute: 1us, groups: x", 2, "line 2: groups: a step without collective does not support it")
        self.refused(step % f"compute: 1us, {gather}", 2, 'line 2: step "a": either compute or collective is expected')
        self.refused(step % "compute: 1", 2, 'line 2: compute: "1" has an unknown unit, such as 12.5us or 800ns')
        self.refused(step % f"{gather}, repeat: 100001", 2,
                     "line 2: repeat: a whole number from 1 to 100000 is expected")
        self.refused("steps:\n" + "- {name: %s, compute: 1us, repeat: 100000}\n" * 2 % ("a", "b"), 2,
                     'line 3: step "b": repeat: all steps together have more than 100000 runs')
        self.refused("steps: [", 2, "line 1: end of sequence flow not found")
        second = "a second YAML document begins here; one document is expected"
        self.refused(step % "compute: 1us" + "---\na: b\n", 2, f"line 3: {second}")
        # yaml-cpp does not go on after such a comma.
        self.refused(",steps:\n", 2, f"line 1: {second}")
        self.refused("", 2, "the file is empty")
        self.refused("\nsteps:\n", 2, 'line 2: the key "steps" has no value')
        self.refused("[" * 100000, 2, "line 1: the file is nested too deeply")

    def test_a_thousand_steps_on_16x16_take_less_than_ten_seconds(self):
        layer = yaml.safe_load((EXAMPLES / "megatron-layer.yaml").read_text())["steps"]
        steps = [{**step, "name": f"{step['name']}-{i}",
                  **({"after": f"{step['after']}-{i}"} if "after" in step else {})}
                 for i in range(63) for step in layer][:1000]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = answer("workload", "-", "--dims", "16x16", *LINKS, "--json",
                        text=yaml.safe_dump({"steps": steps}))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(len(result["timeline"]), 1000)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], sys.argv[3], "-v"])
