// SPDX-License-Identifier: Apache-2.0
// Bundles the viewer into one HTML template: build.mjs [OUTPUT].
// The template holds the line @PLANS@ where `gossamer view` puts the plans.
import {build} from 'esbuild';
import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, 'viewer.html');

const bundle = await build({
  entryPoints: [join(here, 'src/main.js')],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'inline',
  write: false,
});
// A closing tag inside the code would end the script element.
const script = bundle.outputFiles[0].text.replaceAll('</script', '<\\/script');
const style = readFileSync(join(here, 'src/style.css'), 'utf8');
const page = readFileSync(join(here, 'src/page.html'), 'utf8')
  .replace('/*STYLE*/', () => style)
  .replace('/*SCRIPT*/', () => script);
writeFileSync(output, page);
