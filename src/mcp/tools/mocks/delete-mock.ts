/** A mock is deleted; its answer has the file that brings it back. */
import type { MockExport, RequestCounts } from '../../../client/shapes.ts';
import { Type } from '../../../model/schema-type.ts';
import { confirmed, confirmShape } from '../../confirm.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';
import { FILE_BYTES_MAX } from './export-mock.ts';
import { factsOf, readMock } from './mock-facts.ts';

export const deleteMock = tool({
  name: 'mocks_delete',
  verb: 'mocks delete',
  access: 'serve',
  isDestructive: true,
  description:
    'Deletes a mock with its versions, sessions and traffic. Two calls, as mocks_run. The second answers what was deleted, and a file that mocks_import makes it of again.',
  input: Type.Object({ mock, confirm: confirmShape }),
  async run(api, { mock: id, confirm }) {
    const { data: record, etag } = await readMock(api, id);
    const [{ data: exported }, { data: counts }, { envelope: sessions }] = await Promise.all([
      api.get<MockExport>(['mocks', id, 'export'], { report: true }),
      api.get<RequestCounts>(['mocks', id, 'counts'], { sessions: true }),
      api.get(['mocks', id, 'sessions'], { pageSize: 1 }),
    ]);
    const { file } = exported;
    const fits = Buffer.byteLength(JSON.stringify(file)) <= FILE_BYTES_MAX;
    const keep = fits
      ? 'the second call answers its saved version as a file'
      : `it is too large for an answer: run \`switchyard export ${id}\` first`;
    const shown = { deletes: factsOf(record), openSessions: sessions['total'], toGetItBack: keep };
    const change = { action: `mocks_delete ${id}`, shown, tags: [etag], isRecorded: true };
    return confirmed(api, confirm, change, async () => {
      await api.send('DELETE', ['mocks', id], { ifMatch: etag });
      const undo = fits
        ? `To get it back: mocks_import with this file as \`content\` and id "${id}", then mocks_run. Versions and traffic are gone.`
        : 'It can be brought back from a file alone.';
      return { deleted: { ...factsOf(record), requests: counts.total }, ...(fits ? { file } : {}), undo };
    });
  },
});
