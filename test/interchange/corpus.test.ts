/** Routes of files in the words of other tools: what an import calls exact answers as the tool does. */
import { expect, test } from 'vitest';
import { answerOf } from '../support/answers.ts';
import { imported } from '../support/imports.ts';
import {
  askedOf,
  corpusFiles,
  isExact,
  sourceOf,
  type CorpusFile,
  type CorpusFormat,
  type Witness,
} from './corpus/corpus.ts';

/** So many are exact: what has words here is not reported for nothing. */
const LEAST: Readonly<Record<CorpusFormat, number>> = { wiremock: 280, mockoon: 208, mountebank: 47, mockserver: 12 };

const MISS = 'no route';

/** Each tool has words of its own for a miss; mountebank answers every request. */
function isMiss({ answer }: Witness, { format }: CorpusFile): boolean {
  return answer.startsWith('404 ') && format !== 'mountebank';
}

/** @param wrong Gets those that are called exact and are not. @returns How many routes are exact. */
function askFile(file: CorpusFile, wrong: string[]): number {
  let exact = 0;
  for (const [place, witness] of file.witnesses.entries()) {
    const found = imported(sourceOf(file, [place]));
    if (!isExact(found.report)) continue;
    exact++;
    const { method, target, headers, body } = askedOf(file, witness, place);
    const answer = answerOf(found, `${method} ${target}`, { headers, ...(body === undefined ? {} : { body }) });
    const own = answer === undefined ? MISS : `${answer.status} ${answer.body}`;
    if (own !== (isMiss(witness, file) ? MISS : witness.answer)) wrong.push(`${JSON.stringify(witness)}: ${own}`);
  }
  return exact;
}

test('what is called exact answers as its source says', () => {
  const files = corpusFiles();
  expect(files.length).toBeGreaterThan(55);
  const counts: Record<string, number> = {};
  const wrong: string[] = [];
  for (const file of files) counts[file.format] = (counts[file.format] ?? 0) + askFile(file, wrong);
  expect(wrong).toEqual([]);
  for (const [format, least] of Object.entries(LEAST)) expect(counts[format], format).toBeGreaterThanOrEqual(least);
});
