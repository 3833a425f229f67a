// The page as readers meet it, in a browser, on made-up data. Pictures are kept in tests/artefacts.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { HOSTILE, REPORTS, fillTemplate, writePage } from './make-data.mjs';
import {
    ARTEFACTS,
    goToMap,
    keepPicture,
    nColours,
    open,
    placesOfItems,
    settle,
    startBrowser,
    tipAt,
} from './browser.mjs';

let browser;
const pages = {};
before(async () => {
    for (const name of Object.keys(REPORTS)) pages[name] = writePage(name, ARTEFACTS);
    browser = await startBrowser();
});
after(() => browser?.close());

test('every kind of report is shown whole, in both themes, wide and narrow', async () => {
    for (const name of Object.keys(REPORTS)) {
        const page = await open(browser, pages[name]);
        for (const [theme, width] of [
            ['light', 1280],
            ['dark', 1280],
            ['light', 390],
            ['dark', 360],
        ]) {
            // prettier-ignore
            await page.emulateMedia({ colorScheme: theme });
            await page.setViewportSize({ width, height: 900 });
            await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
            await settle(page);
            const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than ${width}`);
            await keepPicture(page, `${name}-${theme}-${width}`, { fullPage: true });
        }
        const text = await page.evaluate(() => document.getElementById('page').innerText);
        assert.doesNotMatch(text, /NaN|undefined|\[object|Infinity/);
        for (const section of await page.locator('section').all()) {
            assert.ok((await section.innerText()).split('\n').length > 1);
        }
        await page.finish();
    }
});

test('an absent section says why and has no frame', async () => {
    const page = await open(browser, pages.bare);
    assert.match(await page.locator('#scores').innerText(), /no out-of-bag pairs/);
    assert.equal(await page.locator('#importance figure').count(), 0);
    assert.equal(await page.locator('#heat canvas').count(), 0);
    await page.fill('#search', '7');
    await page.keyboard.press('Enter');
    await page.locator('.neighbors button').first().click();
    assert.match(await page.locator('.panel').innerText(), /Only forests explain/);
    await page.finish();
});

test('charts stay within their frames', async () => {
    for (const name of ['graph', 'mixed']) {
        const page = await open(browser, pages[name]);
        const beyond = await page.evaluate(() =>
            [...document.querySelectorAll('figure svg path')].flatMap((path) => {
                const [shape, frame] = [path.getBoundingClientRect(), path.closest('svg').getBoundingClientRect()];
                return shape.top < frame.top - 2 || shape.bottom > frame.bottom + 2
                    ? [path.outerHTML.slice(0, 80)]
                    : [];
            }),
        );
        assert.deepEqual(beyond, []);
        await page.finish();
    }
});

test('search is a combobox that selects', async () => {
    const page = await open(browser, pages.mixed);
    const input = page.getByRole('combobox', { name: /find an item/i });
    await input.fill('ITEM-0004');
    assert.equal(await page.locator('.search [role=option]').count(), 10);
    assert.equal(await input.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    assert.equal(await page.locator('[aria-selected=true]').innerText(), 'item-00041');
    assert.equal(await input.getAttribute('aria-activedescendant'), 'found-1');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.panel h3').first().innerText(), 'item-00041');
    assert.equal(await input.getAttribute('aria-expanded'), 'false');
    await input.fill('no such');
    assert.match(await page.locator('.search').innerText(), /No id contains this/);
    await page.keyboard.press('Escape');
    assert.equal(await input.inputValue(), '');
    await page.finish();
});

/** Two places of the map far apart whose items are among the hundred of which all pairs are explained. */
async function placesOfSampled(page, box) {
    const sampled = new Set(Array.from({ length: 100 }, (_, s) => `colour ${Math.floor((s * 139) / 100) + 1}`));
    const find = async (places) => {
        for (const place of places) {
            if (sampled.has((await tipAt(page, box, place)).split('\n')[0])) return place;
        }
        throw new Error('no sampled item is shown');
    };
    const places = await placesOfItems(page);
    return [await find(places), await find([...places].reverse())];
}

test('the mouse hovers, selects one, compares two, and lets go', async () => {
    const page = await open(browser, pages.colours);
    const box = await goToMap(page);
    const [one, other] = await placesOfSampled(page, box);
    assert.match(await tipAt(page, box, one), /^colour \d+\nhex: #/);
    await keepPicture(page, 'hover');
    await page.mouse.click(box.x + one[0], box.y + one[1]);
    const first = await page.locator('.panel h3').first().innerText();
    assert.equal(await page.locator('.neighbors li').count(), 10);
    assert.ok((await nColours(page, 'canvas.marks')) > 1);
    await keepPicture(page, 'one-selected');
    await page.mouse.click(box.x + other[0], box.y + other[1]);
    assert.match(await page.locator('.panel h3').first().innerText(), new RegExp(`^${first} and colour`));
    await settle(page); // a chart is drawn when its place has a width
    assert.equal(await page.locator('.panel svg').count(), 1);
    assert.match(await page.locator('.panel svg').textContent(), /mean distance.*red.*predicted distance/s);
    await keepPicture(page, 'two-selected');
    await page.getByRole('button', { name: 'Clear' }).click();
    assert.match(await page.locator('.panel').innerText(), /^Click an item/);
    await page.finish();
});

test('a pair whose account is not stored gets a command to copy', async () => {
    const page = await open(browser, pages.mixed);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.fill('#search', 'item-00511');
    await page.keyboard.press('Enter');
    await page.evaluate(() => document.querySelector('.map-view').focus());
    for (let step = 0; step < 40; step++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const command = await page.locator('.command code').innerText();
    assert.match(command, /^smerf explain mixed\.smerf mixed\.csv --pair item-00511 /);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
    await keepPicture(page, 'command');
    await page.finish();
});

test('a neighbour of the list is compared with, and can be looked at', async () => {
    const page = await open(browser, pages.mixed, { theme: 'dark' });
    await page.fill('#search', 'item-00042');
    await page.keyboard.press('Enter');
    const name = await page.locator('.neighbors .name').first().innerText();
    await page.locator('.neighbors button').first().click();
    assert.equal(await page.locator('.panel h3').first().innerText(), `item-00042 and ${name}`);
    await page.locator('.panel .numbers summary').click();
    assert.match(await page.locator('.panel table').innerText(), /predicted distance/);
    await goToMap(page);
    await keepPicture(page, 'neighbour-dark');
    await page.getByRole('button', { name: `Look at ${name}` }).click();
    assert.equal(await page.locator('.panel h3').first().innerText(), name);
    await page.finish();
});

test('the map can be coloured by any column, and a colour stands out alone', async () => {
    const page = await open(browser, pages.mixed);
    await goToMap(page);
    const menu = page.getByLabel('Colour by');
    const options = await menu.locator('option').allInnerTexts();
    assert.equal(options.length, 15);
    const before = await page.locator('canvas.items').screenshot();
    for (const [k, option] of options.entries()) {
        await menu.selectOption({ label: option });
        await settle(page);
        assert.ok((await nColours(page, 'canvas.items')) > 1, option);
        if (k === 3) {
            assert.match(await page.locator('.legend').innerText(), /missing/);
            await keepPicture(page, 'colour-by-number');
        }
    }
    assert.notDeepEqual(await page.locator('canvas.items').screenshot(), before);
    await menu.selectOption({ label: 'kind (target)' });
    const entry = page.locator('.legend button').first();
    await entry.click();
    assert.equal(await entry.getAttribute('aria-pressed'), 'true');
    await keepPicture(page, 'isolated');
    await entry.click();
    assert.equal(await entry.getAttribute('aria-pressed'), 'false');
    await page.finish();
});

test('colours are shown as they are by default', async () => {
    const page = await open(browser, pages.colours);
    assert.match(await page.locator('#colour-by option:checked').innerText(), /its own colour/);
    assert.ok((await nColours(page, 'canvas.items')) > 139);
    await page.finish();
});

test('the wheel zooms, dragging moves, the buttons too', async () => {
    const page = await open(browser, pages.graph);
    const box = await goToMap(page);
    const picture = () => page.evaluate(() => document.querySelector('canvas.items').toDataURL());
    const whole = await picture();
    await page.waitForTimeout(500); // the page was scrolled a moment ago
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.wheel(0, -300);
    await settle(page);
    const near = await picture();
    assert.notEqual(near, whole);
    await page.mouse.down();
    await page.mouse.move(box.x + 280, box.y + 260, { steps: 4 });
    await page.mouse.up();
    await settle(page);
    assert.notEqual(await picture(), near);
    assert.match(await page.locator('.panel').innerText(), /^Click an item/, 'a drag is no click');
    await page.getByRole('button', { name: 'Show all items' }).click();
    await page.mouse.move(5, 5);
    await settle(page);
    assert.ok((await picture()) === whole);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await settle(page);
    assert.notEqual(await picture(), whole);
    await page.finish();
});

test('everything can be done with the keyboard', async () => {
    const page = await open(browser, pages.colours);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main');
    await page.locator('.map-view').focus();
    await keepPicture(page, 'focus');
    await page.keyboard.press('ArrowRight');
    const spoken = page.locator('.map > [role=status]');
    const start = await spoken.innerText();
    assert.match(start, /^colour \d+/);
    await page.keyboard.press('ArrowUp');
    assert.notEqual(await spoken.innerText(), start);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.neighbors li').count(), 10);
    await page.keyboard.press('+');
    await page.keyboard.press('-');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.match(await page.locator('.panel h3').first().innerText(), / and /);
    await page.keyboard.press('Escape');
    assert.match(await page.locator('.panel').innerText(), /^Click an item/);
    await page.locator('.heat-view').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    assert.match(await page.locator('.told').innerText(), /and .*: .* selected/);
    assert.match(await page.locator('.panel h3').first().innerText(), / and /);
    const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, input, select, [tabindex="0"]')].filter((element) => !(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length)).length); // prettier-ignore
    assert.equal(unnamed, 0);
    await page.finish();
});

test('axe finds nothing that keeps readers out', async () => {
    const axe = readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    for (const [name, theme, id] of [
        ['mixed', 'light', 'item-00042'],
        ['colours', 'dark', 'colour 5'],
        ['letters', 'light', 'A0'],
        ['letters', 'dark', 'A0'],
    ]) {
        // prettier-ignore
        const page = await open(browser, pages[name], { theme });
        await page.fill('#search', id);
        await page.keyboard.press('Enter');
        if (theme === 'dark') await page.locator('.neighbors button').first().click();
        await settle(page);
        await page.evaluate(`${axe}; undefined`);
        const { violations } = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map(({ id: rule, nodes }) => [rule, nodes[0].html]), []); // prettier-ignore
        await page.finish();
    }
});

test('the theme follows the system until the button is pressed', async () => {
    const page = await open(browser, pages.colours);
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await page.emulateMedia({ colorScheme: 'dark' });
    await settle(page);
    assert.equal(await theme(), 'dark');
    await page.getByRole('button', { name: /light theme/ }).click();
    assert.equal(await theme(), 'light');
    const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.equal(ground, 'rgb(252, 252, 250)');
    await page.finish();
});

test('it prints light, from a dark screen, and is dark again', async () => {
    const page = await open(browser, pages.colours, { theme: 'dark' });
    await page.evaluate(() =>
        addEventListener('beforeprint', () => (window.printed = document.documentElement.dataset.theme)),
    );
    const pdf = await page.pdf({ path: join(ARTEFACTS, 'print.pdf'), format: 'A4' });
    assert.ok(pdf.length > 50000);
    assert.equal(await page.evaluate(() => window.printed), 'light');
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await page.finish();
});

test('hostile names are shown, not run', async () => {
    const page = await open(browser, pages.mixed);
    assert.equal(await page.locator('h1').innerText(), HOSTILE);
    assert.equal(await page.title(), `${HOSTILE} \u2013 smerf report`);
    await page.fill('#search', HOSTILE);
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.panel h3').first().innerText(), HOSTILE);
    assert.match(await page.locator('.facts').innerText(), /<script>alert\(2\)<\/script>/);
    assert.match(await page.locator('.legend').innerText(), /<\/script>/);
    await page.locator('.neighbors button').first().click();
    assert.equal(await page.locator('#page script, #page img, #page b').count(), 0);
    assert.equal(await page.locator('script').count(), 2);
    await goToMap(page);
    await keepPicture(page, 'hostile');
    await page.finish();
});

test('the policy lets nothing else run and nothing be fetched', async () => {
    const page = await open(browser, pages.bare);
    const wrong = await page.evaluate(async () => {
        const tried = [];
        document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = true' }));
        if (window.ran) tried.push('a script ran');
        await fetch('https://example.invalid/').then(
            () => tried.push('fetched'),
            () => {},
        );
        await new Promise((done) => Object.assign(new Image(), { onload: () => tried.push('image') || done(), onerror: done }).setAttribute('src', 'https://example.invalid/x.png')).catch(() => {}); // prettier-ignore
        return tried;
    });
    assert.deepEqual(wrong, []);
    await page.context().close(); // not finish(): the attempts are on the console
});

const isLarge = { skip: process.env.LARGE ? false : 'LARGE=1 asks for it: make test-all' };
test('20,000 items: shown, found, hovered, compared, zoomed', isLarge, async () => {
    const page = await open(browser, pages.large, { width: 1440 });
    const box = await goToMap(page);
    assert.ok((await nColours(page, 'canvas.items')) > 8);
    const places = await placesOfItems(page);
    assert.ok(places.length > 500);
    const middle = places[Math.floor(places.length / 2)];
    assert.match(await tipAt(page, box, middle), /^item-\d+/);
    await page.mouse.click(box.x + middle[0], box.y + middle[1]);
    assert.equal(await page.locator('.neighbors li').count(), 10);
    await keepPicture(page, 'large-selected');
    await page.locator('.neighbors button').first().click();
    await settle(page); // a chart is drawn when its place has a width
    assert.equal(await page.locator('.panel svg').count(), 1);
    await page.fill('#search', 'item-19999');
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('.panel h3').first().innerText(), 'item-19999');
    await page.waitForTimeout(500);
    await page.mouse.move(box.x + middle[0], box.y + middle[1]);
    for (let turn = 0; turn < 4; turn++) await page.mouse.wheel(0, -300);
    await settle(page);
    await keepPicture(page, 'large-near');
    await page.getByLabel('Colour by').selectOption({ label: 'x3' });
    await keepPicture(page, 'large-by-number');
    assert.match(await page.locator('#details').innerText(), /2,000 of 20,000 items were scored/);
    await page.finish();
});

test('5,000 items stay far below 10 MB, the template below 500 kB', () => {
    const template = readFileSync(new URL('../report-template.html', import.meta.url), 'utf8');
    assert.ok(Buffer.byteLength(template) < 500e3);
    const { size } = statSync(pages.large);
    assert.ok(size < 40e6);
    assert.ok(Buffer.byteLength(fillTemplate(REPORTS.large(5000), template)) < 10e6);
});

test('a phone taps', async () => {
    const page = await open(browser, pages.graph, { width: 390, height: 844, hasTouch: true });
    const box = await goToMap(page);
    const [place] = await placesOfItems(page);
    await page.touchscreen.tap(box.x + place[0], box.y + place[1]);
    assert.equal(await page.locator('.neighbors li').count(), 10);
    await page.finish();
});
