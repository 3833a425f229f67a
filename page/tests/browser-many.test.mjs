// Many clusters, many classes, flat maps, confusion matrices: what a page must still show whole, in a browser.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { REPORTS, writePage } from './make-data.mjs';
import { ARTEFACTS, goToMap, keepPicture, nColours, open, placesOfItems, settle, startBrowser, tipAt } from './browser.mjs'; // prettier-ignore

let browser;
const pages = {};
before(async () => {
    for (const name of ['letters', 'response', 'line', 'graph']) pages[name] = writePage(name, join(ARTEFACTS, 'many'));
    browser = await startBrowser();
});
after(() => browser?.close());

const box = (page, selector) => page.locator(selector).first().boundingBox();

test('all twenty clusters are shown, on the screen and on paper, and the cap is said', async () => {
    const page = await open(browser, pages.letters);
    assert.match(await page.locator('#clusters .lead').innerText(), /20 is the most that were tried/);
    assert.equal(await page.locator('.cluster-table tbody tr').count(), 20);
    const hides = () => page.evaluate(() => {
        const { scrollHeight, clientHeight } = document.querySelector('.cluster-table .scroller');
        return scrollHeight - clientHeight;
    }); // prettier-ignore
    assert.ok((await hides()) <= 1, 'no row is hidden');
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    for (const width of [1000, 680]) {
        await page.setViewportSize({ width, height: 900 });
        await settle(page);
        const [table, figures] = [await box(page, '.cluster-table table'), await box(page, '#clusters .figures')];
        assert.ok(table.y + table.height <= figures.y, 'the table ends before what follows');
        assert.ok(table.x + table.width <= width + 1, `the table is ${table.width} wide on a paper of ${width}`);
        const matrix = await box(page, '.matrix table');
        assert.ok(matrix.x + matrix.width <= width + 1, `the matrix is ${matrix.width} wide on a paper of ${width}`);
        const [told, next] = [await box(page, '#clusters'), await box(page, '#heat h2')];
        assert.ok(told.y + told.height <= next.y);
    }
    assert.equal(await page.locator('.download').first().isVisible(), false);
    await keepPicture(page, 'letters-paper', { fullPage: true });
    await page.finish();
});

test('the table of clusters has the values of medoids, and selects them', async () => {
    const page = await open(browser, pages.letters);
    const head = await page.locator('.cluster-table thead th').allInnerTexts();
    assert.deepEqual(head.slice(0, 7), ['cluster', 'items', 'mean silhouette', 'in its middle', 'letter', 'kind', 'feature 1']); // prettier-ignore
    assert.match(await page.locator('.cluster-table').innerText(), /8 of 12 columns/);
    const cells = await page.locator('.cluster-table tbody tr').nth(2).locator('td').allInnerTexts();
    const button = page.locator('.cluster-table tbody tr').nth(2).getByRole('button');
    const id = await button.innerText();
    await button.click();
    assert.equal(await page.locator('.panel h3').first().innerText(), id);
    const facts = await page.locator('.panel .facts').evaluate((element) => element.textContent);
    assert.ok(facts.includes(`letter${cells[3]}`), 'the same value as beside the map');
    await page.finish();
});

test('the numbers beside silhouettes do not collide', async () => {
    for (const width of [1280, 390]) {
        const page = await open(browser, pages.letters, { width });
        const labels = await page.evaluate(() => {
            const svg = [...document.querySelectorAll('#clusters figure')].find((f) => f.textContent.includes('Silhouettes')).querySelector('svg'); // prettier-ignore
            const texts = [...svg.querySelectorAll('text')].filter((text) => text.childElementCount === 0);
            return texts
                .filter((text) => /^\d+$/.test(text.textContent) && text.getBoundingClientRect().left < svg.getBoundingClientRect().left + 40)
                .map((text) => ({ text: text.textContent, top: text.getBoundingClientRect().top, bottom: text.getBoundingClientRect().bottom }));
        }); // prettier-ignore
        assert.deepEqual(labels.map(({ text }) => text), Array.from({ length: 20 }, (_, c) => String(c + 1))); // prettier-ignore
        for (let k = 1; k < labels.length; k++) {
            const middle = ({ top, bottom }) => (top + bottom) / 2;
            assert.ok(middle(labels[k]) - middle(labels[k - 1]) > 11, `${labels[k].text} at ${width}`);
        }
        await page.finish();
    }
});

test('26 classes: a mark each, found in the legend, alone on request', async () => {
    for (const theme of ['light', 'dark']) {
        const page = await open(browser, pages.letters, { theme });
        await goToMap(page);
        const marks = await page.evaluate(() => [...document.querySelectorAll('.legend li path')].map((path) => path.getAttribute('fill') + path.getAttribute('d'))); // prettier-ignore
        assert.equal(marks.length, 26);
        assert.equal(new Set(marks).size, 26);
        await keepPicture(page, `classes-${theme}`);
        await page.getByLabel('Find in the legend of letter').fill('q');
        assert.equal(await page.locator('.legend li:visible').count(), 1);
        assert.match(await page.locator('.legend [role=status]').innerText(), /^1 of 26 marks/);
        await page.locator('.legend li:visible button').click();
        assert.equal(await page.locator('.legend li:visible button').getAttribute('aria-pressed'), 'true');
        await page.finish();
    }
});

test('items are labelled by any column', async () => {
    const page = await open(browser, pages.letters);
    await goToMap(page);
    const picture = () => page.evaluate(() => document.querySelector('canvas.marks').toDataURL());
    const menu = page.getByLabel('Label by');
    const before = await picture();
    const seen = new Set([before]);
    for (const label of ['id', 'letter (target)', 'feature 2']) {
        await menu.selectOption({ label: label.replace(' (target)', '') });
        await settle(page);
        seen.add(await picture());
    }
    assert.equal(seen.size, 4);
    await keepPicture(page, 'labelled-by-number');
    await menu.selectOption({ label: 'nothing' });
    await settle(page);
    assert.equal(await picture(), before, 'many ids are not shown to begin with');
    await page.getByLabel('Colour by').selectOption({ label: 'cluster (20)' });
    await menu.selectOption({ label: 'id' });
    await keepPicture(page, 'labelled-clusters');
    await page.finish();
});

test('a flat map fills its frame, says so, and still answers to mouse and keys', async () => {
    for (const [name, said] of [
        ['response', /drawn [\d.]+ times as large/],
        ['line', /lie on a line/],
    ]) {
        // prettier-ignore
        for (const [theme, width] of [['light', 1280], ['dark', 390]]) { // prettier-ignore
            const page = await open(browser, pages[name], { theme, width });
            assert.match(await page.locator('.map-frame > .note').innerText(), said);
            const frame = await goToMap(page);
            const places = await placesOfItems(page);
            const tops = places.map(([, top]) => top).sort((a, b) => a - b);
            const spread = tops[Math.round(0.95 * (tops.length - 1))] - tops[Math.round(0.05 * (tops.length - 1))];
            assert.ok(spread > 0.3 * frame.height, `${name}: ${spread} of ${frame.height}`);
            assert.match(await tipAt(page, frame, places[Math.floor(places.length / 2)]), /^patient \d+/);
            await page.mouse.move(2, 2);
            await page.locator('.map-view').focus();
            await page.keyboard.press('ArrowRight');
            const first = await page.locator('.map > [role=status]').innerText();
            await page.keyboard.press('ArrowRight');
            assert.notEqual(await page.locator('.map > [role=status]').innerText(), first);
            assert.ok((await nColours(page, 'canvas.items')) > 3);
            await keepPicture(page, `${name}-map-${theme}-${width}`);
            await page.finish();
        }
    }
    const page = await open(browser, pages.letters);
    assert.equal(await page.locator('.map-frame > .note').count(), 0, 'a map with two directions is left as it is');
    await page.finish();
});

test('a model that is worse than guessing is called so', async () => {
    const page = await open(browser, pages.response);
    const text = await page.evaluate(() => document.getElementById('page').innerText);
    assert.match(text, /worse than guessing/);
    assert.match(text, /farther from the truth than their mean would be/);
    assert.doesNotMatch(text, /no worse/);
    await page.finish();
});

test('whether more trees help: the same pairs, a ring for new items, a line for any number of trees', async () => {
    const page = await open(browser, pages.response);
    const { growth } = REPORTS.response();
    const lead = await page.locator('#growth .lead').innerText();
    assert.match(lead, /^More trees would hardly help\. After 500 trees/);
    assert.match(lead, /over the same pairs of 300 items\.$/);
    const figure = page.locator('#growth figure').first();
    assert.match(
        await figure.locator('figcaption').innerText(),
        /predicted by about 66 of the 500 trees.*the ring.*dashed/s,
    );
    const circles = figure.locator('svg circle');
    assert.equal(await circles.count(), growth.trees.length + 1, 'a dot a size, and the ring');
    const places = await circles.evaluateAll((all) => all.map((circle) => circle.getBoundingClientRect().x));
    assert.ok(
        places.every((x) => x <= Math.max(...places)) && new Set(places).size === places.length,
        'the ring stands at all trees, beyond those that predict a pair out of bag',
    );
    await figure.locator('summary', { hasText: 'numbers' }).click();
    const rows = await figure.locator('tbody tr').allInnerTexts();
    assert.equal(rows.length, growth.trees.length + 2);
    assert.match(rows.at(-2), /^500\s+all, of new items/);
    assert.match(rows.at(-1), /^any number\s+all/);
    await page.finish();
});

test('what judges leave, and how well the response itself is predicted, stand with the scores', async () => {
    const page = await open(browser, pages.response);
    const text = await page.locator('#scores').innerText();
    assert.match(text, /Each pair was rated by 2 to 5 judges/);
    assert.equal(text.match(/The judges differ among themselves/g).length, 2, 'for the error and the correlation');
    assert.match(text, /R\u00b2 of the response\s+0\.43\s+Of the response itself.*43\u00a0% of the variance/);
    await page.finish();
    const other = await open(browser, pages.letters);
    assert.doesNotMatch(await other.locator('#scores').innerText(), /judge|R\u00b2/);
    assert.match(await other.locator('#classification .lead').innerText(), /3 items that every tree has seen are left out/); // prettier-ignore
    await other.finish();
});

test('a picture that stands alone is as wide on paper as on the screen', async () => {
    const page = await open(browser, pages.graph);
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ media: 'print' });
    await settle(page);
    const widths = await page.evaluate(() => [...document.querySelectorAll('.figures')].filter((grid) => grid.childElementCount === 1).map((grid) => grid.firstElementChild.getBoundingClientRect().width / grid.getBoundingClientRect().width)); // prettier-ignore
    assert.ok(widths.length > 0);
    for (const width of widths) assert.ok(width > 0.95, `${width}`);
    await page.finish();
});

test('a confusion matrix has heads, is read aloud cell by cell, and walks with arrow keys', async () => {
    const page = await open(browser, pages.letters);
    assert.match(await page.locator('#classification .lead').innerText(), /an accuracy of 0\.\d+, by trees that have not seen/); // prettier-ignore
    const grid = page.getByRole('grid', { name: /confusion matrix/i });
    assert.equal(await grid.getByRole('columnheader').count(), 28);
    assert.equal(await grid.getByRole('rowheader').count(), 26);
    const told = page.locator('#classification .told');
    await grid.locator('[data-cell="0 0"]').focus();
    assert.match(await told.innerText(), /^\d+ items of label A, of \d+ \(.*predicted rightly\.$/);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    assert.match(await told.innerText(), /label B.*as C\.$/);
    assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), '1 2');
    assert.equal(await grid.locator('[tabindex="0"]').count(), 1, 'one stop for Tab');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.dataset.cell), '1 25');
    await grid.locator('[data-cell="3 3"]').hover();
    assert.match(await told.innerText(), /label D.*rightly/);
    const shades = await page.evaluate(() => new Set([...document.querySelectorAll('.matrix [data-cell]')].map((cell) => cell.style.background)).size); // prettier-ignore
    assert.ok(shades > 5);
    await page.finish();
});

test('numbers and labels of axes do not cover each other, however large the numbers are', async () => {
    for (const width of [1280, 390]) {
        const page = await open(browser, pages.response, { width });
        const covered = await page.evaluate(() =>
            [...document.querySelectorAll('#fit svg, #growth svg, #importance svg')].flatMap((svg) => {
                const frame = svg.getBoundingClientRect();
                const texts = [...svg.querySelectorAll('text')].filter((text) => text.childElementCount === 0 && text.textContent.trim()).map((text) => [text.textContent, text.getBoundingClientRect()]); // prettier-ignore
                const outside = texts.filter(([, box]) => box.left < frame.left - 3 || box.right > frame.right + 10).map(([text]) => `outside: ${text}`); // prettier-ignore
                const pairs = texts.flatMap(([one, p], k) => texts.slice(k + 1).filter(([, q]) => p.left < q.right - 1 && q.left < p.right - 1 && p.top < q.bottom - 4 && q.top < p.bottom - 4).map(([other]) => `${one} over ${other}`)); // prettier-ignore
                return [...outside, ...pairs];
            }),
        );
        assert.deepEqual(covered, [], `at ${width}`);
        await page.finish();
    }
});
