/** Imports a source into Switchyard, serves it by its original, and asks both the same. */
import { draws } from '../../../src/base/seeded-draw.ts';
import type { Report } from '../../../src/interchange/report/report.ts';
import { askedOf, corpusFiles, isExact, sourceOf } from '../../interchange/corpus/corpus.ts';
import { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';
import type { Answered, Asked, Oracle } from './oracle.ts';

export interface Extent {
  readonly sources: number;
  readonly requests: number;
  readonly seed: number;
}

/** @param tally Gets a row for the oracle, and one for sources that are left out. */
export async function askBothSides(oracle: Oracle, tally: Tally, { sources, requests, seed }: Extent): Promise<void> {
  const server = await TestServer.start();
  const key = await server.key('oracle');
  const original = await oracle.start();
  for (let number = 0; number < sources; number++) {
    const random = draws(seed, ORACLE_STREAM, number);
    const source = oracle.source(random, true);
    const imported = await server.request('POST', '/v1/mocks/import?start=true', { key, body: source });
    const report = imported.json.data?.report as Report | undefined;
    const ids = (imported.json.data?.mocks ?? []) as readonly { readonly id: string }[];
    const [mock] = ids;
    if (report === undefined || mock === undefined) {
      tally.failed(oracle.name, `source ${number} is refused: ${JSON.stringify(imported.json)}`);
      continue;
    }
    if (!isExact(report)) {
      tally.tried(`${oracle.name}: sources that are not called exact`);
    } else {
      const port = await original.serve(source);
      for (let index = 0; index < requests; index++) {
        const asked = oracle.request(random, source);
        const [ours, theirs] = await Promise.all([
          ask(server.mockPort, `/__mock/${mock.id}`, asked),
          ask(port, '', asked),
        ]);
        const isSame = oracle.areMisses(ours, theirs) || JSON.stringify(ours) === JSON.stringify(theirs);
        tally.check(oracle.name, isSame, () => shown(number, asked, ours, theirs));
      }
    }
    for (const { id } of ids) await server.request('DELETE', `/v1/mocks/${id}`, { key });
  }
  await server.end();
}

const ORACLE_STREAM = 1;

/** The original answers routes of the corpus as it is written. @param files How many of its files. */
export async function askWritten(oracle: Oracle, tally: Tally, files: number): Promise<void> {
  const original = await oracle.start();
  for (const file of corpusFiles()
    .filter(({ format }) => format === oracle.name)
    .slice(0, files)) {
    const port = await original.serve(sourceOf(file, [...file.witnesses.keys()]));
    for (const [place, witness] of file.witnesses.entries()) {
      const { status, body } = await ask(port, '', askedOf(file, witness, place));
      const isSame = witness.answer === `${status} ${body}` || (status === 404 && witness.answer.startsWith('404 '));
      tally.check(
        `${oracle.name}: answers that are written down`,
        isSame,
        () => `${JSON.stringify(witness)}: ${status} ${body}`,
      );
    }
  }
}

/** @param prefix Of the path. */
export async function ask(port: number, prefix: string, { method, target, headers, body }: Asked): Promise<Answered> {
  const response = await fetch(`http://127.0.0.1:${port}${prefix}${target}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    marked: response.headers.get('x-marked'),
    body: await response.text(),
  };
}

const SHOWN_CHARS = 300;

function shown(number: number, asked: Asked, ours: Answered, theirs: Answered): string {
  return `source ${number}: ${JSON.stringify(asked)}: ours ${JSON.stringify(ours).slice(0, SHOWN_CHARS)}, theirs ${JSON.stringify(theirs).slice(0, SHOWN_CHARS)}`;
}
