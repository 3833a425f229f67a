// Every picture can be saved, as SVG and PNG, and the numbers behind it as CSV: from disk, without a network.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { Report } from '../src/data.js';
import { REPORTS, writePage } from './make-data.mjs';
import { ARTEFACTS, open, settle, startBrowser } from './browser.mjs';

const NAMES = ['letters', 'colours', 'graph', 'response', 'mixed'];
const WITH_PNG = ['letters', 'colours']; // a PNG is made of the SVG: one page of each theme will do
let browser;
const pages = {};
before(async () => {
    for (const name of NAMES) pages[name] = writePage(name, join(ARTEFACTS, 'download'));
    browser = await startBrowser();
});
after(() => browser?.close());

/** What a choice of a menu saves. */
async function saved(page, menu, choice) {
    await page.waitForTimeout(110); // Chromium drops what a page saves beyond ten files a second
    await menu.evaluate((element) => (element.open = true));
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        menu.getByRole('button', { name: choice }).click(),
    ]);
    const path = join(ARTEFACTS, 'download', download.suggestedFilename());
    await download.saveAs(path);
    return { name: download.suggestedFilename(), bytes: readFileSync(path) };
}

/** Cells of a CSV, quotes undone. */
function parse(text) {
    const rows = [[]];
    const cell = /("(?:[^"]|"")*"|[^,\n]*)(,|\n)/gy;
    for (let found = cell.exec(text); found; found = cell.exec(text)) {
        const value = found[1].startsWith('"') ? found[1].slice(1, -1).replaceAll('""', '"') : found[1];
        rows[rows.length - 1].push(value);
        if (found[2] === '\n') rows.push([]);
    }
    return rows.slice(0, -1);
}

const menuOf = (page, title) => page.locator('details.download', { has: page.locator(`summary[aria-label="Save: ${title}"]`) }); // prettier-ignore

test('every figure has a menu, and all that it saves can be read', async () => {
    for (const name of NAMES.slice(0, 4)) {
        const page = await open(browser, pages[name], { theme: name === 'colours' ? 'dark' : 'light' });
        assert.equal(await page.locator('figure:not(:has(details.download))').count(), 0, 'a figure without a menu');
        const menus = await page.locator('details.download').all();
        assert.ok(menus.length > 5);
        for (const menu of menus) {
            const title = await menu.locator('summary').getAttribute('aria-label');
            const hasPicture = (await menu.getByText('Picture, SVG').count()) > 0;
            const svg = hasPicture && (await saved(page, menu, 'Picture, SVG'));
            if (hasPicture) {
                assert.match(svg.name, /^[a-z0-9._-]+\.svg$/);
                await checkSvg(page, svg.bytes.toString(), title);
            }
            if (hasPicture && WITH_PNG.includes(name)) {
                const png = await saved(page, menu, 'Picture, PNG');
                assert.deepEqual([...png.bytes.subarray(0, 8)], [137, 80, 78, 71, 13, 10, 26, 10], title);
                const width = Number(/width="([\d.]+)"/.exec(svg.bytes.toString())[1]);
                assert.ok(Math.abs(png.bytes.readUInt32BE(16) - 2 * width) <= 2, `${title} is twice as fine`);
                assert.ok(png.bytes.length > 3000, `${title} is not empty`);
            }
            const table = parse((await saved(page, menu, 'Numbers, CSV')).bytes.toString());
            assert.ok(table.length > 1, title);
            assert.ok(
                table[0].every((head) => head !== '' && !/^[\d.-]+$/.test(head)),
                `${title}: ${table[0]}`,
            );
            for (const row of table) assert.equal(row.length, table[0].length, title);
        }
        await page.finish();
    }
});

/** It is XML, needs nothing from elsewhere, and shows more than its ground. */
async function checkSvg(page, text, title) {
    const found = await page.evaluate((source) => {
        const parsed = new DOMParser().parseFromString(source, 'image/svg+xml');
        return { error: parsed.querySelector('parsererror')?.textContent ?? null, nShapes: parsed.querySelectorAll('path, rect, image, line, circle').length, texts: [...parsed.querySelectorAll('text')].map((element) => element.textContent) }; // prettier-ignore
    }, text);
    assert.equal(found.error, null, title);
    assert.ok(found.nShapes > 3, title);
    assert.ok(found.texts.length > 0, title);
    assert.doesNotMatch(text, /var\(|<script|href="(?!data:)|url\(http/, title);
}

test('numbers are saved in full', async () => {
    const report = new Report(REPORTS.letters());
    const page = await open(browser, pages.letters);
    const table = async (title) => parse((await saved(page, menuOf(page, title), 'Numbers, CSV')).bytes.toString());
    await page.getByLabel('Label by').selectOption({ label: 'feature 3' });
    const [head, ...rows] = await table('Map');
    assert.deepEqual(head, ['item', 'x', 'y', 'cluster', 'letter', 'feature 3']);
    assert.equal(rows.length, report.n);
    rows.forEach((row, item) => {
        assert.equal(row[0], report.ids[item]);
        assert.equal(Math.fround(Number(row[1])), report.map.x[item]);
        assert.equal(Math.fround(Number(row[2])), report.map.y[item]);
        assert.equal(Number(row[3]), report.clusters.of[item] + 1);
        const column = report.columns.find((some) => some.name === 'feature 3');
        assert.equal(Math.fround(Number(row[5])), report.value(column, item));
    });
    const heat = await table('Distances of all pairs');
    assert.equal(heat.length, report.heat.items.length + 1);
    assert.equal(Math.fround(Number(heat[5][9])), report.heat.distance[4 * report.heat.items.length + 8]);
    const medoids = await table('The clusters and the items in their middle');
    assert.equal(medoids.length, 21);
    assert.equal(medoids[0].length, 4 + report.columns.length, 'all columns, though the page shows eight');
    const confusion = await table('Confusion matrix');
    assert.deepEqual(confusion.slice(1).map((row) => row.slice(1).map(Number)), report.raw.classification.counts); // prettier-ignore
    const silhouettes = await table('Silhouettes');
    assert.equal(silhouettes.length, report.n + 1);
    await page.finish();
});

test('names that are no markup stay names in what is saved', async () => {
    const page = await open(browser, pages.mixed);
    await page.getByLabel('Label by').selectOption({ label: 'id' });
    await settle(page);
    const svg = await saved(page, menuOf(page, 'Map'), 'Picture, SVG');
    await checkSvg(page, svg.bytes.toString(), 'hostile map');
    assert.match(svg.name, /^script-script-alert-1-script-map\.svg$/);
    await saved(page, menuOf(page, 'Map'), 'Picture, PNG');
    const rows = parse((await saved(page, menuOf(page, 'Map'), 'Numbers, CSV')).bytes.toString());
    const { ids } = REPORTS.mixed().items;
    assert.deepEqual(rows.slice(1).map((row) => row[0]), ids); // prettier-ignore
    await page.finish();
});

test('the account of a pair can be saved, and the menu works with the keyboard', async () => {
    const page = await open(browser, pages.colours);
    await page.fill('#search', 'colour 5');
    await page.keyboard.press('Enter');
    await page.locator('.neighbors button').first().click();
    await settle(page);
    const menu = page.locator('.panel details.download');
    const rows = parse((await saved(page, menu, 'Numbers, CSV')).bytes.toString());
    assert.deepEqual(rows[0], ['step', 'from', 'to', 'contribution']);
    assert.equal(rows[rows.length - 1][0], 'predicted distance');
    await checkSvg(page, (await saved(page, menu, 'Picture, SVG')).bytes.toString(), 'account');
    const summary = menuOf(page, 'Map').locator('summary');
    await summary.focus();
    await page.keyboard.press('Enter');
    assert.equal(await menuOf(page, 'Map').getAttribute('open'), '');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Picture, SVG');
    await page.keyboard.press('Escape');
    assert.equal(await menuOf(page, 'Map').getAttribute('open'), null);
    assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Save: Map/);
    await page.keyboard.press('Enter');
    await settle(page);
    await page.mouse.click(5, 400);
    assert.equal(await menuOf(page, 'Map').getAttribute('open'), null, 'a click elsewhere closes it');
    await page.finish();
});
