/** Runs proofs one after the other, but for those that run beside another, and prints their table, fault, tried, failed, and their count. */
import { countLine, failureLine } from '../support/count-line.ts';
import type { Effort, Proof, Row } from './proof.ts';
import { Tally } from './proof.ts';

/** Failures of one row that are printed; all of them are counted. */
const FAILURES_SHOWN = 5;

/** @returns Whether every proof that could run held, and tried something. */
export async function runProofs(proofs: readonly Proof[], effort: Effort): Promise<boolean> {
  const rows: (readonly [string, string, string])[] = [];
  const failures: string[] = [];
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const group of grouped(proofs)) {
    const results = await Promise.all(group.map((proof) => timed(proof, effort)));
    for (const [index, { name }] of group.entries()) {
      const result = results[index] as readonly Row[] | string;
      if (typeof result === 'string') {
        rows.push([`${name}: SKIPPED, ${result}`, '-', '-']);
        count.skipped++;
        continue;
      }
      const failuresBefore = failures.length;
      for (const row of result) tell(name, row, rows, failures);
      count[failures.length > failuresBefore ? 'failed' : 'passed']++;
    }
  }
  print([['fault', 'tried', 'failed'], ...rows]);
  for (const failure of failures) process.stdout.write(`${failure}\n`);
  process.stdout.write(`${countLine(count)}\n`);
  return failures.length === 0;
}

/** Each with those that run beside it. */
function grouped(proofs: readonly Proof[]): Proof[][] {
  const groups: Proof[][] = [];
  for (const proof of proofs) {
    const group = groups.find(([first]) => first?.name === proof.runsBeside);
    if (group === undefined) groups.push([proof]);
    else group.push(proof);
  }
  return groups;
}

/** @returns Its rows, or why it cannot run here. */
async function timed(proof: Proof, effort: Effort): Promise<readonly Row[] | string> {
  const reason = proof.unavailable?.();
  if (reason !== undefined) return reason;
  const started = performance.now();
  process.stdout.write(`${proof.name}: ${proof.promise}\n`);
  const rows = await tallied(proof, effort);
  const failed = rows.reduce((sum, { failures }) => sum + failures.length, 0);
  // Now, since the table is printed by a run that reaches its end.
  const result = failed === 0 ? '' : `, ${failed} failed`;
  process.stdout.write(`  ${proof.name} took ${((performance.now() - started) / 1000).toFixed(1)} s${result}\n`);
  return rows;
}

function tell(
  name: string,
  { fault, tried, failures: failed }: Row,
  rows: (readonly [string, string, string])[],
  failures: string[],
): void {
  rows.push([`${name}: ${fault}`, String(tried), String(failed.length)]);
  failures.push(...failed.slice(0, FAILURES_SHOWN).map((what) => failureLine(`${name}: ${fault}`, what)));
  if (tried === 0) failures.push(failureLine(`${name}: ${fault}`, 'nothing was tried'));
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
