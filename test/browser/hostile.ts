/**
 * Text that a page must show as text: what a stranger can put in the path, the query, a header or the body of a request to a mock, or
 * a colleague in a name. Whatever of it takes effect calls `harm()`, adds an element of the class "harm", or asks another origin.
 */
import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export interface HostileText {
  readonly name: string;
  readonly text: string;
}

/** Of one line, and short enough for a header or a name. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  { name: 'a script', text: '<script>harm()</script><b class="harm">b</b>' },
  { name: 'an event handler', text: '<img class="harm" src=x onerror="harm()">' },
  { name: 'a picture from elsewhere', text: '<img class="harm" src="http://harm.invalid/x.png">' },
  { name: 'svg', text: '<svg class="harm" onload="harm()"><script>harm()</script></svg>' },
  { name: 'an attribute that is ended', text: `"' autofocus onfocus="harm()" class='harm' x="` },
  {
    name: 'an element that is ended',
    text: '</textarea></pre></title><iframe class="harm" srcdoc="<script>parent.harm()</script>">',
  },
  { name: 'a comment that is ended', text: '--><b class="harm">b</b><!--' },
  { name: 'a link that runs', text: 'javascript:harm()' },
  { name: 'a page as a link', text: 'data:text/html,<script>opener.harm()</script>' },
  { name: 'braces of templates', text: '{{constructor.constructor("harm()")()}} ${harm()} <%= harm() %> #{harm()}' },
  { name: 'styles', text: '</style><style class="harm">* { display: none !important }</style>' },
  { name: 'a style that asks', text: 'x;background:url(http://harm.invalid/y.png)' },
  { name: 'a style sheet', text: '<link class="harm" rel="stylesheet" href="http://harm.invalid/z.css">' },
  { name: 'text turned right to left', text: 'user\u202Egnp.exe\u202C \u2066isolated\u2069 \u200Fmark' },
  { name: 'zero width', text: 'pay\u200Bments\u200D\uFEFF\u2060 \u00ADsoft' },
  { name: 'controls', text: 'a\u0000b\u0007c\u001B[31md\u007Fe\u0085f' },
  { name: 'lines that others end', text: 'one\u2028two\u2029three\u000Bfour' },
  { name: 'half a pair', text: 'high \uD83D low \uDE00' },
  { name: 'marks in a pile', text: `Z${'\u0335\u0361\u0489'.repeat(40)}` },
  { name: 'names of every object', text: '__proto__ constructor toString hasOwnProperty' },
  { name: 'a formula', text: '=HYPERLINK("http://harm.invalid/","click")' },
  { name: 'a shell', text: `'; rm -rf / #\`harm\`$(harm)` },
  { name: 'what looks like a key', text: 'sy_0123456789abcdef' },
];

/** What a mock's client can send as a body; whole only where the page shows it in part. */
export const HOSTILE_BODIES: readonly { readonly name: string; readonly type: string; readonly bytes: () => Buffer }[] =
  [
    {
      name: 'not UTF-8',
      type: 'text/plain',
      bytes: () => Buffer.from('fe ff 80 c0 af ed a0 80 f5 80 80 80 41'.replaceAll(' ', ''), 'hex'),
    },
    { name: 'a page', type: 'text/html', bytes: () => Buffer.from(HOSTILE_TEXTS.map(({ text }) => text).join('\n')) },
    { name: 'broken JSON', type: 'application/json', bytes: () => Buffer.from('{"a": <script>harm()</script>') },
    { name: 'nested JSON', type: 'application/json', bytes: () => Buffer.from(nested(10_000)) },
    { name: 'JSON of many keys', type: 'application/json', bytes: () => Buffer.from(JSON.stringify(manyKeys())) },
    {
      name: 'JSON that pollutes',
      type: 'application/json',
      bytes: () => Buffer.from('{"__proto__":{"harm":true},"constructor":{}}'),
    },
    { name: 'over 300 kB', type: 'text/plain', bytes: () => Buffer.from('line of text\n'.repeat(24_000)) },
    { name: 'one line of 10 MB', type: 'text/plain', bytes: oneLine },
    { name: 'NUL bytes', type: 'application/octet-stream', bytes: () => Buffer.alloc(1_000) },
  ];

/** For bodies of responses, which are kept whole. */
export function oneLine(): Buffer {
  return Buffer.alloc(10_000_000, 'x<b class="harm">');
}

function nested(depth: number): string {
  return `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`;
}

function manyKeys(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`<b class="harm">${index}`, 'x']));
}

/**
 * Sends every text to a mock in the query, in a header and in a body, and every body.
 *
 * A body over the mock's bound is refused by it, which ends that connection.
 *
 * @param base Of the mock, as `urlFor` gives it.
 */
export async function sendHostileTraffic(base: string): Promise<void> {
  for (const { text } of HOSTILE_TEXTS) {
    const query = encodeURIComponent(text.toWellFormed());
    // Node.js sends no header that holds a control character, nor one above latin1.
    const header = Buffer.from(text)
      .toString('latin1')
      .replaceAll(/\p{Cc}/gu, '');
    await post(`${base}/hostile/${query}?q=${query}`, { 'x-hostile': header, 'content-type': 'text/plain' }, text);
  }
  for (const { type, bytes } of HOSTILE_BODIES) await post(`${base}/hostile`, { 'content-type': type }, bytes());
}

function post(url: string, headers: Readonly<Record<string, string>>, body: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', headers, agent: false }, (answer) => {
      answer.resume().on('close', resolve);
    });
    sent.on('error', () => resolve());
    sent.end(body);
  });
}

/** To be called before the page loads: gives hostile text something to call. */
export async function bait(page: Page): Promise<void> {
  await page.addInitScript(() =>
    Object.assign(globalThis, { harms: 0, harm: () => Reflect.set(globalThis, 'harms', 1) }),
  );
}

/** Nothing of the corpus has taken effect. Requests elsewhere and dialogs fail the test by themselves. */
export async function expectUnharmed(page: Page): Promise<void> {
  const harm = await page.evaluate(() => {
    const found: string[] = [];
    const search = (root: Document | ShadowRoot): void => {
      for (const element of root.querySelectorAll('.harm')) found.push(element.outerHTML.slice(0, 200));
      for (const link of root.querySelectorAll('a[href]')) {
        const { protocol } = new URL(link.getAttribute('href') as string, document.baseURI);
        if (!/^(https?|blob):$/.test(protocol)) found.push(link.outerHTML.slice(0, 200));
      }
      for (const element of root.querySelectorAll('*')) if (element.shadowRoot !== null) search(element.shadowRoot);
    };
    search(document);
    if (Reflect.get(globalThis, 'harms') !== 0) found.push('harm() was called, or bait() was not');
    if (Reflect.get({}, 'harm') !== undefined) found.push('the prototype of all objects has been changed');
    return found;
  });
  expect(harm, 'what hostile text has done').toEqual([]);
}
