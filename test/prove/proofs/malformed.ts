/**
 * Malformed requests on both planes: each row of the table as it is and with a request hidden behind it; good and bad ones in two packets,
 * cut at every byte.
 */
import { MalformedRun, type Taken } from '../../support/malformed-run.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const AS_IS = 'a malformed request is answered as pinned';
const CUT = 'cut in two packets it is answered the same';
const TRACES = 'nothing that was refused, or hid behind it, left a trace';

export const proof: Proof = {
  name: 'malformed',
  onEveryStore: true,
  runsBeside: 'damage',
  promise: 'A malformed request is refused, changes nothing, and runs nothing that hides behind it.',
  async run(tally: Tally, effort: Effort) {
    const run = await MalformedRun.start();
    // At the same time: some rows of both wait until the server gives up.
    const [table, splits] = await Promise.all([run.table(), run.splits(effort === 'full' ? 1 : 47)]);
    for (const taken of table) checkAnswer(tally, AS_IS, taken);
    for (const taken of splits) checkAnswer(tally, CUT, taken);
    const wrong = await run.wrongTraces();
    tally.tried(TRACES, table.length + splits.length);
    for (const what of wrong) tally.failed(TRACES, what);
    // A run that could not see a trace would find none missing.
    const blind = await MalformedRun.start();
    await blind.leaveTrace();
    tally.check('the control is noticed', (await blind.wrongTraces()).length > 0, () => 'a trace was overlooked');
  },
};

function checkAnswer(tally: Tally, fault: string, { row, plane, seen, pinned }: Taken): void {
  tally.check(fault, seen === pinned, () => `${plane}: ${row}: ${seen}, not ${pinned}`);
}
