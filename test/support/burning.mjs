/**
 * Preloaded into a server (`--import`): does what the file BURN_FILE asks, each time it is written anew.
 *
 * "loop MS EVERY" holds the event loop for MS of each EVERY milliseconds, "once MS" holds it once, "heap MB" keeps that much on the heap,
 * "free" lets go of everything.
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const file = process.env.BURN_FILE;
let seen = '';
let loop;
let kept = [];

/** An idle process would collect its garbage much later. */
function collect() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

function hold(ms) {
  for (const until = performance.now() + ms; performance.now() < until;);
}

function obey([what, amount, every]) {
  clearInterval(loop);
  if (what === 'loop') loop = setInterval(() => hold(Number(amount)), Number(every));
  if (what === 'once') hold(Number(amount));
  if (what === 'free') {
    kept = [];
    collect();
  }
  // Numbers that are no integers, of 8 bytes each.
  if (what === 'heap') for (let mb = kept.length; mb < Number(amount); mb++) kept.push(Array(131_072).fill(mb + 0.5));
}

if (isMainThread && file !== undefined) {
  setInterval(() => {
    const asked = readFileSync(file, 'utf8');
    if (asked === seen) return;
    seen = asked;
    obey(asked.split(' '));
  }, 20).unref();
}
