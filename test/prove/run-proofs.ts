/** Runs proofs one after the other and prints their table: fault, tried, failed. */
import type { Effort, Proof, Row } from './proof.ts';
import { Tally } from './proof.ts';

/** Failures of one row that are printed; all of them are counted. */
const FAILURES_SHOWN = 5;

/** @returns Whether every proof that could run held, and tried something. */
export async function runProofs(proofs: readonly Proof[], effort: Effort): Promise<boolean> {
  const rows: (readonly [string, string, string])[] = [];
  const failures: string[] = [];
  for (const proof of proofs) {
    const reason = proof.unavailable?.();
    if (reason !== undefined) {
      rows.push([`${proof.name}: SKIPPED, ${reason}`, '-', '-']);
      continue;
    }
    const started = performance.now();
    process.stdout.write(`${proof.name}: ${proof.promise}\n`);
    for (const { fault, tried, failures: failed } of await tallied(proof, effort)) {
      rows.push([`${proof.name}: ${fault}`, String(tried), String(failed.length)]);
      failures.push(...failed.slice(0, FAILURES_SHOWN).map((what) => `${proof.name}: ${fault}: ${what}`));
      if (tried === 0) failures.push(`${proof.name}: ${fault}: nothing was tried`);
    }
    process.stdout.write(`  ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
  }
  print([['fault', 'tried', 'failed'], ...rows]);
  for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
  return failures.length === 0;
}

async function tallied(proof: Proof, effort: Effort): Promise<readonly Row[]> {
  const tally = new Tally();
  try {
    await proof.run(tally, effort);
  } catch (error) {
    tally.check('the proof runs to its end', false, () => (error as Error).stack ?? String(error));
  }
  return tally.rows.length > 0 ? tally.rows : [{ fault: 'tries something', tried: 0, failures: [] }];
}

function print(rows: readonly (readonly [string, string, string])[]): void {
  const width = Math.max(...rows.map(([fault]) => fault.length));
  process.stdout.write('\n');
  for (const [fault, tried, failed] of rows) {
    process.stdout.write(`${fault.padEnd(width)}  ${tried.padStart(8)}  ${failed.padStart(6)}\n`);
  }
  process.stdout.write('\n');
}
