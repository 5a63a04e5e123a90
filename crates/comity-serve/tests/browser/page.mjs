// Tests the page in a real browser. `tests/it/page.rs` starts the services and the site, and then this script:
//
//     MODULES=target/browser PAGE=http://127.0.0.1:1/ GUARDED=http://127.0.0.1:2/ TOKEN=... SITE=http://127.0.0.1:3 MOVED=http://127.0.0.1:4 node page.mjs [NAME]
//
// Two workers run the scenarios, each in a browser context that its scenarios share. Every scenario begins with a newly loaded
// page. In every scenario, the page must send requests only to the service, its scripts must not throw errors, and it must not
// violate its content security policy.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const { MODULES, PAGE, GUARDED, TOKEN, SITE, MOVED, CHROMIUM } = process.env;
const require = createRequire(path.join(path.resolve(MODULES), 'package.json'));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core'), 'utf8');

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const TABS = ['verdicts', 'crawlers', 'usage', 'compare', 'write'];

/** Replaces the text of the editor, as if a user had typed it. Sets a long text directly, which is faster. */
const put = (page, text) =>
  text.length < 2000
    ? page.fill('#robots', text)
    : page.evaluate((value) => {
        const area = document.querySelector('#robots');
        area.value = value;
        area.dispatchEvent(new InputEvent('input'));
      }, text);
const robots = (page) => page.inputValue('#robots');
const finding = (page, text) => page.locator('#findings > li', { hasText: text }).first().waitFor();
const settled = (page, text = 'no findings') => page.locator('#findings-count', { hasText: text }).waitFor();
const verdict = (page, label) => page.getByRole('button', { name: label });
const tab = (page, name) => page.click(`#tab-${name}`);

/** Waits until an element is drawn and returns its centre, both in one call: a redraw during typing replaces elements. */
const middle = async (page, selector) => {
  const place = await page.waitForFunction((wanted) => {
    const box = document.querySelector(wanted)?.getBoundingClientRect();
    return box?.width ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
  }, selector);
  return place.jsonValue();
};

/** Returns a promise, and the function that resolves it. */
const deferred = () => {
  let resolve;
  const promise = new Promise((fulfil) => (resolve = fulfil));
  return { promise, resolve };
};

/** Waits until a condition holds in the page. */
const until = (page, condition, argument) => page.waitForFunction(condition, argument);

/** Scenarios of the page that the service serves, and of the static page. */
const scenarios = {
  async 'findings and verdicts are updated during typing'({ page }) {
    await page.click('#robots');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('User-agent: *\nDisalow: /internal/\n');
    await finding(page, 'is misspelt');
    await until(page, () => document.querySelector('.lines .spot.warning')?.textContent === 'Disalow');
    assert.match(await page.textContent('.lines .behind'), /is misspelt/);
    assert.equal(await page.textContent('.numbers .has'), '2');
    await verdict(page, 'GPTBot, /internal/: Disallowed, by line 2').waitFor();
    await page.keyboard.type('Allow: /internal/');
    await verdict(page, 'GPTBot, /internal/: Allowed, by line 3').waitFor();
    await page.click('#clear');
    await verdict(page, 'GPTBot, /internal/: Allowed, by no rule').waitFor();
    assert.equal(await page.textContent('#size'), 'empty');
  },

  async 'a fix is applied and can be undone'({ page }) {
    // The service counts offsets in bytes, the browser in UTF-16 code units, and the editor has stand-ins.
    const text = '# caf\u00e9 \u{1f600} \u202e\nUser-agent: *\nDisalow: /\u00e9\nUseragent: a\nDisallow /b\n';
    await put(page, text);
    await finding(page, 'Disalow');
    await page.getByRole('button', { name: 'Fix line 3: Disalow' }).click();
    await until(page, () => document.querySelector('#robots').value.includes('\nDisallow: /\u00e9\n'));
    await page.click('#robots');
    await page.keyboard.press('Control+z');
    await until(page, () => document.querySelector('#robots').value.includes('\nDisalow: /\u00e9\n'));
    await finding(page, 'Disalow');
    await page.click('#fix-all');
    await until(page, () => document.querySelector('#robots').value.includes('\nDisallow: /%C3%A9\nUser-agent: a\nDisallow: /b\n'));
    await put(page, 'User-agent: *\nDisalow: /b\n');
    await finding(page, 'Disalow');
    const { x, y } = await middle(page, '.behind button');
    await page.mouse.click(x, y);
    await until(page, () => document.querySelector('#robots').value === 'User-agent: *\nDisallow: /b\n');
    await settled(page);
  },

  async 'a verdict shows the deciding line and the losing rules'({ page }) {
    await put(page, 'User-agent: GPTBot\nAllow: /blog/\nDisallow: /\nDisallow: /blog/*/private\n\nUser-agent: *\nDisallow: /\n');
    await page.fill('#urls', '/blog/a/private');
    await verdict(page, 'GPTBot, /blog/a/private: Disallowed, by line 4').click();
    await until(page, () => document.querySelector('.line.decides.disallowed')?.textContent.includes('/blog/*/private'));
    await until(page, () => document.querySelectorAll('.line.loses').length === 2);
    assert.match(await page.textContent('#why'), /line 4.*decides/s);
    assert.match(await page.textContent('.losers'), /line 2.*Allow: \/blog\/.*a longer pattern wins/s);
    await page.locator('#why .dialects summary').waitFor();
    assert.match(await page.textContent('#why .dialects'), /\d of 11 dialects decide otherwise.*mk1996/s);
    await page.selectOption('#dialect', 'mk1996');
    await verdict(page, /GPTBot, \/blog\/a\/private: Allowed, by line 2/).waitFor();
  },

  async 'crawlers are completed from the catalogue, and whole headers are accepted'({ page }) {
    await until(page, () => [...document.querySelectorAll('#catalogue option')].some((one) => one.value === 'CCBot' && one.label.includes('Common Crawl')));
    await page.fill('#agent', 'CCBot');
    await page.press('#agent', 'Enter');
    await verdict(page, 'CCBot, /blog/news: Allowed, by line 11').waitFor();
    await page.fill('#agent', 'Mozilla/5.0 (compatible; GPTBot/1.3)');
    await page.press('#agent', 'Enter');
    await verdict(page, 'Mozilla/5.0 (compatible; GPTBot/1.3), /: Disallowed, by line 12').waitFor();
    await page.getByRole('button', { name: 'Remove Googlebot' }).click();
    await until(page, () => !document.querySelector('#grid').textContent.includes('Googlebot'));
    await page.fill('#agent', 'two words');
    await page.press('#agent', 'Enter');
    await page.locator('#grid .problem').waitFor();
  },

  async 'the matrix lists the access of known crawlers'({ page }) {
    await put(page, 'User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n');
    await tab(page, 'crawlers');
    const row = page.locator('.crawlers tr', { hasText: 'GPTBot' });
    await row.waitFor();
    assert.match(await row.textContent(), /OpenAI.*disallowed.*Disallow: \/.*2/s);
    await page.selectOption('#purpose', 'training');
    await until(page, () => document.querySelectorAll('.purpose').length === 1);
    assert.match(await page.textContent('.purpose h3'), /AI training/);
  },

  async 'usage signals are shown in columns'({ page }) {
    await put(page, 'User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: train-ai=y\nDisallow:\n');
    await tab(page, 'usage');
    const row = page.locator('.uses tr', { hasText: 'Train' });
    await row.waitFor();
    assert.match(await row.textContent(), /Yes.*No.*No/s);
    await page.locator('.signal', { hasText: 'Content-Signal' }).getByRole('button', { name: 'line 2', exact: true }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), 'robots');
  },

  async 'two versions are compared by their meaning'({ page }) {
    await put(page, 'User-agent: *\nDisallow: /a\n');
    await tab(page, 'compare');
    await page.click('#keep');
    await page.getByText('Both have the same meaning').waitFor();
    await put(page, '# layout\nUSER-AGENT: *\nDisallow: /a\n');
    await page.getByText('Both have the same meaning').waitFor();
    await put(page, 'User-agent: *\nDisallow: /a\nDisallow: /\n');
    await page.locator('.gained', { hasText: 'Disallow: /' }).waitFor();
    assert.match(await page.textContent('#difference'), /Your URLs.*\/blog\/news.*Allowed.*Disallowed/s);
    await page.click('#swap');
    await page.locator('.lost', { hasText: 'Disallow: /' }).waitFor();
    assert.equal(await robots(page), 'User-agent: *\nDisallow: /a\n');
  },

  async 'a file is written from choices'({ page }) {
    await tab(page, 'write');
    await page.getByRole('group', { name: 'AI training' }).getByRole('radio', { name: 'Keep out' }).check();
    await page.fill('#wish-disallow', '/cart\n/search');
    await page.locator('#written pre', { hasText: 'Disallow: /cart' }).waitFor();
    await page.locator('#written pre', { hasText: 'User-agent: GPTBot' }).waitFor();
    assert.match(await page.textContent('#written'), /Google-Extended/);
    await page.fill('#wish-allow', 'cart, */');
    await page.locator('#written .problem').waitFor();
    await page.fill('#wish-allow', '');
    await page.getByRole('button', { name: 'Put it into the editor' }).click();
    assert.match(await robots(page), /User-agent: GPTBot[^]*Disallow: \/cart\nDisallow: \/search/);
    await verdict(page, /GPTBot, \/: Disallowed/).waitFor();
  },

  async 'invalid links change nothing, and fields of a wrong type become empty'({ page }) {
    const pack = async (text) => {
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
      return Buffer.from(await new Response(stream).arrayBuffer()).toString('base64url');
    };
    const bomb = await pack(JSON.stringify({ robots: 'a'.repeat(8 << 20) }));
    assert.ok(bomb.length < 32 << 10, 'the bomb fits into a link');
    const cut = (await pack(JSON.stringify({ robots: 'User-agent: *' }))).slice(0, -6);
    const banner = page.locator('#banner', { hasText: 'cannot be read' });
    const isRejected = async () => {
      await banner.waitFor();
      assert.match(await robots(page), /^# An example/);
    };
    // The first link is also opened by a new page; the others change the fragment of the page.
    for (const fragment of [bomb, cut, '***', await pack('null'), await pack('[')]) {
      await page.goto(`${PAGE}#s=${fragment}`);
      await isRejected();
      if (fragment === bomb) {
        await page.reload();
        await isRejected();
      }
      await banner.getByRole('button', { name: 'Close' }).click();
      await banner.waitFor({ state: 'hidden' });
    }
    const odd = await pack(JSON.stringify({ robots: 7, agents: [{}, 'GPTBot', null], urls: 'x', dialect: ['google'], tab: '__proto__', selected: { agent: 1 } }));
    await page.goto(`${PAGE}#s=${odd}`);
    await page.getByText('Write a URL or a path').waitFor();
    assert.equal(await robots(page), '');
    assert.equal(await page.inputValue('#dialect'), '');
  },

  async 'a file of 500 KB is drawn in part and can be edited'({ page }) {
    const text = `User-agent: *\n${Array.from({ length: 16_000 }, (_, i) => `Disallow: /section/${i}/*.html`).join('\n')}\n`;
    assert.ok(text.length > 490_000 && text.length < 512_000, `${text.length}`);
    await put(page, text);
    await page.fill('#urls', '/section/15999/a.html');
    await verdict(page, /GPTBot, \/section\/15999\/a\.html: Disallowed, by line 16001/).click();
    await until(page, () => document.querySelector('.line.decides')?.textContent.includes('15999'));
    assert.ok((await page.locator('.lines .line').count()) < 200);
    await page.evaluate(() => document.querySelector('#robots').setSelectionRange(0, 0));
    await page.focus('#robots');
    await page.keyboard.type('# typed\n');
    await until(page, () => document.querySelector('#robots').value.startsWith('# typed\nUser-agent'));
  },

  async 'a file that is dropped on the editor replaces its text'({ page }) {
    await page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['User-agent: *\r\nDisallow: /dropped\n'], 'robots.txt'));
      const area = document.querySelector('#robots');
      const options = { dataTransfer, bubbles: true, cancelable: true };
      if (area.dispatchEvent(new DragEvent('dragover', options))) throw new Error('the browser would open the file');
      area.dispatchEvent(new DragEvent('drop', options));
    });
    await until(page, () => document.querySelector('#robots').value === 'User-agent: *\nDisallow: /dropped\n');
    await page.focus('#robots');
    await page.keyboard.press('Control+z');
    await until(page, () => document.querySelector('#robots').value.startsWith('# An example'));
  },

  async 'very long lines are shown by the browser itself'({ page }) {
    await put(page, `User-agent: *\nDisallow: /${'a'.repeat(5000)}\n`);
    await page.locator('#editor.plain').waitFor();
    assert.ok((await page.locator('.lines .line').nth(1).textContent()).length < 3000);
    await put(page, 'User-agent: *\n');
    await until(page, () => !document.querySelector('#editor').classList.contains('plain'));
  },

  async 'every control can be reached by keyboard'({ page }) {
    const at = () => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent);
    // The tab order is complete only after the findings and the verdicts are drawn.
    await page.locator('#findings').getByRole('button', { name: 'line 7', exact: true }).waitFor();
    await verdict(page, 'GPTBot, /blog/news: Allowed, by line 11').waitFor();
    const seen = [];
    for (let i = 0; i < 40 && seen.at(-1) !== 'urls'; i += 1) {
      await page.keyboard.press('Tab');
      seen.push(await at());
    }
    for (const stop of [...(SITE ? ['site', 'Load'] : []), 'share', 'dialect', 'clear', 'robots', 'line 7', 'tab-verdicts', 'verdicts', 'Remove GPTBot', 'agent', 'urls']) assert.ok(seen.includes(stop), `${stop} is not in ${seen}`);
    await page.keyboard.press('Tab');
    assert.equal(await at(), 'GPTBot, /blog/news: Allowed, by line 11');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('#why', { hasText: 'line 12' }).waitFor();
    assert.equal(await at(), 'GPTBot, /: Disallowed, by line 12');
    await page.focus('#tab-verdicts');
    for (const name of [...TABS.slice(1), null]) {
      if (name === null) break;
      await page.keyboard.press('ArrowRight');
      assert.equal(await at(), `tab-${name}`);
      assert.equal(await page.isVisible(`#${name}`), true);
    }
    await page.keyboard.press('Home');
    assert.equal(await page.isVisible('#verdicts'), true);
    await page.focus('#robots');
    await page.evaluate(() => document.querySelector('#robots').setSelectionRange(0, 0));
    await page.keyboard.press('F8');
    await page.keyboard.press('Control+.');
    await until(page, () => document.querySelector('#robots').value.includes('Disallow: /internal/'));
    await settled(page);
    await page.keyboard.press('Tab');
    assert.notEqual(await at(), 'robots');
    await put(page, 'User-agent: *\nDisalow: /a\nDisalow: /b\n');
    await finding(page, 'line 3');
    await page.getByRole('button', { name: 'Fix line 2' }).focus();
    await page.keyboard.press('Enter');
    await settled(page, '1 warning');
    assert.match(await at(), /^Fix line 3/);
    await page.keyboard.press('Enter');
    await settled(page);
    assert.equal(await at(), 'findings-title');
  },
};

/** Selectors of the last element that each tab draws. */
const DRAWN = { verdicts: '#why .dialects summary', crawlers: '.crawlers tr', usage: '.uses tr', compare: '.gained', write: '#written pre' };

/** Opens every tab and a dialog, and audits each in light and in dark colours. */
const auditViews = async ({ page }) => {
  // The driver injects the script, because the policy of the page forbids foreign scripts.
  await page.evaluate(axe);
  for (const name of TABS) {
    await tab(page, name);
    if (name === 'compare') {
      await page.click('#keep');
      await put(page, 'User-agent: *\nDisallow: /\nCrawl-delay: 5\n');
    }
    await page.locator(DRAWN[name]).first().waitFor();
    await audit(page, name);
    const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
  }
  if (SITE) {
    await page.fill('#site', 'http://10.0.0.1/');
    await page.press('#site', 'Enter');
    await page.locator('#came .problem').waitFor();
  }
  await page.click('#share');
  await page.locator('#share-link').waitFor();
  await audit(page, 'dialogs');
};

/** The longest scenarios, which start first. */
const audits = {
  'axe has no findings in narrow views': auditViews,
  'axe has no findings in wide views': auditViews,
};

/** Options of the browser contexts of scenarios that do not share one. */
const OPTIONS = { 'axe has no findings in narrow views': PHONE };

/** Scenarios that need the service. */
const withService = {
  async 'the file of a live site is loaded with its provenance'({ page, asked }) {
    assert.ok(!asked.some((url) => url.includes('/v1/robots')), 'no site is requested before a click');
    await page.fill('#site', SITE);
    await page.press('#site', 'Enter');
    await page.locator('#came', { hasText: 'status 200' }).waitFor();
    assert.match(await page.textContent('#came'), /its rules apply.*sha-256/s);
    assert.match(await robots(page), /Disallow: \/served/);
    assert.doesNotMatch(await page.textContent('#came'), /Redirected/);
    await page.fill('#site', MOVED);
    await page.press('#site', 'Enter');
    await page.locator('#came', { hasText: `Redirected to ${SITE}/robots.txt` }).waitFor();
    await page.click('#robots');
    await page.keyboard.type('# mine\n');
    await until(page, () => document.querySelector('#came').textContent === '');
    await page.fill('#site', 'not a host');
    await page.press('#site', 'Enter');
    await page.locator('#came .problem').waitFor();
    await page.fill('#site', 'http://10.0.0.1/');
    await page.press('#site', 'Enter');
    await page.locator('#came .problem', { hasText: 'refuses this address' }).waitFor();
  },

  async 'hostile text stays text'({ page, posted }) {
    await page.fill('#site', SITE);
    await page.press('#site', 'Enter');
    await page.locator('#came', { hasText: 'status 200' }).waitFor();
    await page.fill('#urls', "/<script>document.title='owned'</script>\n/<img src=x onerror=document.title='owned'>");
    await page.fill('#agent', "<svg onload=document.title='owned'>");
    await page.press('#agent', 'Enter');
    for (const name of TABS) {
      await tab(page, name);
      await page.waitForLoadState('networkidle');
      const raw = await page.evaluate(() => {
        const bad = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const found = [];
        while (walker.nextNode()) if (bad.test(walker.currentNode.data)) found.push(walker.currentNode.data);
        for (const element of document.querySelectorAll('*')) {
          for (const { name, value } of element.attributes) if (name.startsWith('on') || bad.test(value)) found.push(`${name}=${value}`);
        }
        for (const area of document.querySelectorAll('textarea')) if (bad.test(area.value)) found.push(area.value);
        return found;
      });
      assert.deepEqual(raw, [], name);
    }
    assert.equal(await page.title(), 'Comity: robots.txt as crawlers read it');
    assert.equal(await page.locator('main script, main img, main svg, main iframe').count(), 0);
    // The service receives the original characters, not the stand-ins.
    const questions = posted.filter(({ path }) => path === '/v1/lint').map(({ body }) => JSON.parse(body).robots);
    assert.ok(questions.some((text) => text.includes('\u001b[31m') && text.includes('\u202e')), 'the service receives every character');
    // Pasted text gets stand-ins, too.
    await page.click('#clear');
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData('text/plain', 'Disallow: /a\u202eb\u001b[0m\r\nAllow: /\n');
      document.querySelector('#robots').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    });
    const pasted = await robots(page);
    assert.equal(pasted, 'Disallow: /a\u{f202e}b\u{f001b}[0m\nAllow: /\n');
    await until(page, () => document.querySelectorAll('.lines .control').length === 2);
  },

  async 'a link contains the whole state and requests no site'({ page, open }) {
    await put(page, 'User-agent: *\nDisallow: /shared\u202e\n');
    await page.fill('#urls', '/shared\n/other');
    await page.fill('#site', SITE);
    await page.selectOption('#dialect', 'google');
    await verdict(page, 'GPTBot, /other: Allowed, by no rule').click();
    await page.click('#share');
    await page.locator('#share-said', { hasText: 'The link itself contains' }).waitFor();
    const link = await page.inputValue('#share-link');
    assert.ok(link.startsWith(`${PAGE}#s=`) && link.length < 1000, link);
    await page.getByRole('button', { name: 'Done' }).click();
    const { page: other, asked } = await open(link);
    await verdict(other, 'GPTBot, /other: Allowed, by no rule').waitFor();
    assert.equal(await robots(other), await robots(page));
    assert.equal(await other.inputValue('#site'), SITE);
    assert.equal(await other.inputValue('#dialect'), 'google');
    assert.equal(await other.getAttribute('.verdict[aria-label^="GPTBot, /other"]', 'aria-pressed'), 'true');
    await other.waitForLoadState('networkidle');
    assert.ok(!asked.some((url) => url.includes('/v1/robots')));
    // This text cannot be compressed to the maximum length of a link.
    const noise = Array.from({ length: 4000 }, (_, i) => `Disallow: /${Math.sin(i).toString(36)}`).join('\n');
    await put(page, noise);
    await page.click('#share');
    await page.locator('#share-said', { hasText: 'too large for a link' }).waitFor();
    assert.equal(await page.isVisible('#share-link'), false);
  },

  async 'a newer question cancels an older one'({ page }) {
    const held = deferred();
    const released = deferred();
    await page.route('**/v1/check', async (route) => {
      if (route.request().postData().includes('/first')) {
        held.resolve();
        await released.promise;
      }
      await route.continue().catch(() => {});
    });
    const cancelled = page.waitForEvent('requestfailed', (request) => new URL(request.url()).pathname === '/v1/check');
    await page.fill('#urls', '/first');
    await held.promise;
    await page.fill('#urls', '/second');
    await verdict(page, /GPTBot, \/second/).waitFor();
    await cancelled;
    released.resolve();
    // The answer to a later request shows that the first answer would have arrived by now.
    await page.fill('#urls', '/third');
    await verdict(page, /GPTBot, \/third/).waitFor();
    assert.equal(await verdict(page, /GPTBot, \/first/).count(), 0);
  },

  async 'a stopped service is reported until it returns'({ page, context, faults }) {
    await context.setOffline(true);
    await put(page, 'User-agent: *\nDisallow: /typed\n');
    await page.locator('#banner', { hasText: 'does not answer' }).waitFor();
    await page.locator('#grid .problem', { hasText: 'comity serve' }).waitFor();
    await context.setOffline(false);
    await page.locator('#banner').getByRole('button', { name: 'Try again' }).click();
    await settled(page);
    await verdict(page, 'GPTBot, /: Allowed, by no rule').waitFor();
    assert.equal(await page.isVisible('#banner'), false);
    faults.length = 0;
  },

  async 'limits of the service are shown as sentences'({ page, faults }) {
    await put(page, `# ${'x'.repeat(79)}\n`.repeat(60_000));
    await page.locator('#findings-problem .problem', { hasText: 'too large for the service' }).waitFor();
    await page.click('#clear');
    await page.route('**/v1/robots*', (route) =>
      route.fulfill({ status: 429, contentType: 'application/problem+json', body: JSON.stringify({ type: '/openapi.json#/x-problems/too_many_origins', title: 'too many new origins', status: 429, detail: 'At most 600 new origins per minute are requested for a caller.', retry_after_seconds: 7 }) }),
    );
    await page.fill('#site', 'example.com');
    await page.press('#site', 'Enter');
    await page.locator('#came .problem', { hasText: 'for a caller. Try again in 7 s.' }).waitFor();
    faults.length = 0;
  },

  async 'a token is requested and never part of a URL'({ open }) {
    const { page, asked, faults } = await open(GUARDED);
    await page.locator('#token-dialog[open]').waitFor();
    await page.fill('#token', 'wrong-but-long-enough');
    await page.keyboard.press('Enter');
    await page.locator('#token-dialog[open]').waitFor();
    await page.fill('#token', TOKEN);
    await page.keyboard.press('Enter');
    await verdict(page, 'GPTBot, /blog/news: Allowed, by line 11').waitFor();
    await page.reload();
    await verdict(page, 'GPTBot, /blog/news: Allowed, by line 11').waitFor();
    await page.click('#share');
    await page.locator('#share-said', { hasText: 'The link itself contains' }).waitFor();
    const { page: other, asked: others } = await open(`${GUARDED}#token=${TOKEN}`);
    await verdict(other, 'GPTBot, /blog/news: Allowed, by line 11').waitFor();
    assert.equal(other.url(), GUARDED);
    for (const url of [...asked, ...others]) assert.ok(!url.includes(TOKEN), url);
    faults.length = 0;
  },

  async 'a large paste is inserted at once and can be undone'({ page }) {
    const paste = `User-agent: *\n${Array.from({ length: 3_000 }, (_, i) => `Disallow: /${i}`).join('\n')}\n`;
    await page.click('#clear');
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      document.querySelector('#robots').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, paste);
    assert.equal(await robots(page), paste);
    await page.focus('#robots');
    await page.keyboard.press('Control+z');
    assert.equal(await robots(page), '');
    await page.evaluate(() => document.querySelector('#robots').blur());
    await put(page, 'User-agent: *\nDisallow: /mine\n');
    await page.fill('#site', SITE);
    await page.press('#site', 'Enter');
    await page.locator('#came', { hasText: 'status 200' }).waitFor();
    await page.focus('#robots');
    await page.keyboard.press('Control+z');
    assert.equal(await robots(page), 'User-agent: *\nDisallow: /mine\n');
  },
};

/** Scenarios of the static page, which answers without a service. */
const withoutService = {
  async 'nothing is requested after the page has loaded'({ page, context }) {
    await tab(page, 'write');
    await page.locator('#wishes fieldset').first().waitFor();
    await context.setOffline(true);
    await tab(page, 'verdicts');
    await put(page, 'User-agent: *\nDisallow: /offline\n');
    await page.fill('#urls', '/offline');
    await verdict(page, 'GPTBot, /offline: Disallowed, by line 2').waitFor();
    assert.equal(await page.isVisible('#load'), false);
    assert.match(await page.textContent('#without'), /comity serve/);
  },
};

/** Rules of axe whose result depends on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Asserts that axe finds nothing in light colours, and that its rules about colours find nothing in dark ones. */
async function audit(page, where) {
  for (const [colorScheme, options] of [['dark', { runOnly: COLOUR_RULES }], ['light', {}]]) {
    await page.emulateMedia({ colorScheme });
    const { violations, passes } = await page.evaluate(async (options) => {
      const { violations, passes } = await window.axe.run(document, { resultTypes: ['violations'], ...options });
      return { violations, passes: passes.map(({ id }) => id) };
    }, options);
    assert.ok(options.runOnly ? passes.includes('color-contrast') : passes.length > 10, `${passes}`);
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`), [], `${where} ${colorScheme}`);
  }
}

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
});

/** Opens a page in a new context, and records its requests and errors. */
async function newPage(options) {
  // Transitions would change colours during an audit. The worker of the static page has its own test (`js/test/play.test.mjs`).
  const context = await browser.newContext({ bypassCSP: false, reducedMotion: 'reduce', serviceWorkers: 'block', ...options });
  // The timeout detects a page that hangs; it is long enough for slow machines.
  context.setDefaultTimeout(600_000);
  const page = await context.newPage();
  const watched = { page, context, asked: [], posted: [], faults: [] };
  page.on('request', (request) => {
    watched.asked.push(request.url());
    if (request.method() === 'POST') watched.posted.push({ path: new URL(request.url()).pathname, body: request.postData() });
  });
  page.on('console', (message) => message.type() === 'error' && !message.text().includes('status of 4') && watched.faults.push(message.text()));
  page.on('pageerror', (error) => watched.faults.push(error.stack));
  return watched;
}

/** Runs a scenario in a page. Throws if the scenario fails, or a page of it requests another host or reports an error. */
async function runScenario(run, first) {
  const { page, context, asked, posted, faults } = first;
  // Undoes what an earlier scenario has left in the context.
  await context.setOffline(false);
  await page.unrouteAll();
  await page.emulateMedia({ colorScheme: 'light' });
  for (const list of [asked, posted, faults]) list.length = 0;
  await page.goto(PAGE);
  await page.locator('#grid .verdict').first().waitFor();
  const pages = [{ ...first, own: new URL(PAGE).origin }];
  const open = async (url, options) => {
    const watched = await newPage(options);
    pages.push({ ...watched, own: new URL(url).origin });
    await watched.page.goto(url);
    return watched;
  };
  try {
    await run({ ...first, open });
    for (const { asked, faults, own } of pages) {
      assert.deepEqual(asked.filter((url) => new URL(url).origin !== own), [], 'another host was requested');
      assert.deepEqual(faults, [], 'errors of scripts, or violations of the policy');
    }
  } finally {
    for (const { context } of pages.slice(1)) await context.close();
  }
}

const wanted = process.argv[2] ?? '';
const all = { ...audits, ...scenarios, ...(SITE ? withService : withoutService) };
const queue = Object.entries(all).filter(([name]) => name.includes(wanted));
let failed = 0;

/** Runs scenarios until none is left. After a failure, the next scenario gets a new context. */
async function work() {
  let shared;
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [name, run] = next;
    const options = OPTIONS[name];
    const watched = options ? await newPage(options) : (shared ??= await newPage());
    let isUsable = !options;
    try {
      await runScenario(run, watched);
      console.log(`ok: ${name}`);
    } catch (error) {
      failed += 1;
      isUsable = false;
      console.log(`FAILED: ${name}\n${String(error.stack).split('\n').slice(0, 24).join('\n').slice(0, 4000)}`);
    }
    if (isUsable) continue;
    await watched.context.close();
    if (watched === shared) shared = undefined;
  }
}

await Promise.all([work(), work()]);
await browser.close();
process.exit(failed ? 1 : 0);
