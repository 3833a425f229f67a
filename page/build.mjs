// Makes report-template.html (or the file that is named): src/page.html with the bundled script and style in it.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

/** Where `smerf report` puts its JSON: once in the template, with nothing around it. */
const DATA = '/*DATA*/';

async function bundle(entry) {
    const result = await build({
        absWorkingDir: here,
        entryPoints: [entry],
        bundle: true,
        minify: true,
        write: false,
        metafile: true,
        charset: 'ascii', // the same characters however the file is read
        format: 'iife',
        target: ['chrome100', 'firefox100', 'safari15.4'],
        legalComments: 'none', // licences() takes the whole texts
        logLevel: 'warning',
    });
    const [{ inputs }] = Object.values(result.metafile.outputs);
    const used = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
    return { text: result.outputFiles[0].text.trim(), inputs: used };
}

/** What the bundled libraries ask to be kept: each licence text once, after the names of those that are under it. */
function licences(inputs) {
    const packages = new Set(
        inputs.map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]).filter(Boolean),
    );
    const names = new Map();
    for (const name of [...packages].sort()) {
        const folder = join(here, 'node_modules', name);
        const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
        if (!file) throw new Error(`${name} has no licence file`);
        const text = readFileSync(join(folder, file), 'utf8').replace(/\r\n/g, '\n').trim();
        const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        names.set(text, [...(names.get(text) ?? []), `${name} ${version}`]);
    }
    const blocks = [...names].map(([text, of]) => `${of.join(', ')}\n\n${text}`);
    return blocks.join('\n\n----\n\n').replaceAll('--', '- -');
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = await bundle('src/main.js');
const style = await bundle('src/style/page.css');
if (/<\/(script|style)|<!--/i.test(script.text + style.text)) throw new Error('the bundle would end its own element');

// Only this script runs, and nothing is fetched. Plot puts small styles into its pictures, so those may be inline.
const policy = [
    "default-src 'none'",
    `script-src ${hash(script.text)}`,
    "style-src 'unsafe-inline'",
    'img-src data:', // a picture of the page on its way to a PNG
    "base-uri 'none'",
    "form-action 'none'",
].join('; ');

const parts = { POLICY: policy, STYLE: style.text, SCRIPT: script.text, LICENCES: licences(script.inputs) };
const page = readFileSync(join(here, 'src/page.html'), 'utf8').replace(
    /\/\*([A-Z]+)\*\//g,
    (all, name) => parts[name] ?? all,
);
if (!page.includes(`<script>${script.text}</script>`))
    throw new Error('the policy allows the script as it stands only');
if (page.split(DATA).length !== 2) throw new Error(`${DATA} must stand in the template exactly once`);

const out = process.argv[2] ?? join(here, 'report-template.html');
writeFileSync(out, page);
console.log(`${out}: ${(Buffer.byteLength(page) / 1000).toFixed(0)} kB`);
