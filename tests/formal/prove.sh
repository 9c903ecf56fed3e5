# SPDX-License-Identifier: Apache-2.0
# Sourced by the proofs of tb/formal: a harness and its modules go to yosys, whose SAT solver proves the
# assertions, for all times (induction) or for the first steps. yosys-smtbmc and cvc4 reach the covers, so that the
# assumptions do not exclude all behaviour. Damaged modules must violate an assertion within the first few steps.

# begin SOURCE WORK MODULE...: an empty work directory with the modules, which every harness reads.
begin() {
  source=$1 work=$2
  shift 2
  rm -rf "$work"
  mkdir -p "$work"
  cd "$work"
  cp "$source/rtl/common/gsm_assert.svh" "$source"/tb/formal/*.sv .
  files=""
  for module; do
    cp "$source"/rtl/*/"$module.sv" .
    files="$files $module.sv"
  done
}

# harness TOP [COMMANDS]: the subject of the following proofs; yosys commands that connect internal registers.
harness() {
  top=$1 reveal=${2-}
}

# sat NAME HOW PARAMETER=VALUE...: status of the proof. HOW is induction, or steps=N for the first N steps.
sat() {
  name=$1 how=$2
  shift 2
  sets=""
  for set; do sets="$sets -set ${set%=*} ${set#*=}"; done
  case $how in
    induction) proof="-maxsteps 4" ;;
    *) proof="-tempinduct-baseonly -maxsteps ${how#steps=}" ;;
  esac
  timeout 900 yosys -q -p "read_verilog -sv -formal -DSYNTHESIS -I. $files $top.sv; \
    ${sets:+chparam $sets $top;} hierarchy -check -top $top; proc; flatten; rename -top $top; $reveal \
    opt -full; memory_map; async2sync; dffunmap; opt_clean; check -assert; write_smt2 -wires $name.smt2; \
    chformal -cover -remove; opt_clean; \
    tee -o $name.sat sat -verify -tempinduct -prove-asserts -set-assumes $proof $top" >"$name.log" 2>&1
}

# prove_assertions HOW NAME PARAMETER=VALUE...
prove_assertions() {
  how=$1 name=$2
  shift 2
  sat "$name" "$how" "$@" || { echo "NOT PROVED: $name"; cat "$name.log"; exit 1; }
  echo "proved $name ($how)"
}

# prove HOW NAME PARAMETER=VALUE...: and every cover is reached.
prove() {
  prove_assertions "$@"
  timeout 900 yosys-smtbmc --noprogress -s cvc4 -c -t 16 "$2.smt2" >"$2.log" 2>&1 ||
    { echo "VACUOUS: $2"; cat "$2.log"; exit 1; }
}

# refuse NAME STEPS FILE SED_SCRIPT PARAMETER=VALUE...: with the file damaged an assertion fails within STEPS
# steps.
refuse() {
  name=$1 steps=$2 file=$3 script=$4
  shift 4
  cp "$file" right.sv
  sed "$script" right.sv >"$file"
  if cmp -s "$file" right.sv; then echo "the damage '$script' finds no place"; exit 1; fi
  if sat "$name" "steps=$steps" "$@"; then echo "DAMAGE NOT FOUND: $name"; exit 1; fi
  # The assertion must have failed, not the tool or the time limit.
  grep -q "model found for base case" "$name.sat" || { echo "NO VERDICT: $name"; cat "$name.log"; exit 1; }
  mv right.sv "$file"
  echo "found the damage of $name"
}
