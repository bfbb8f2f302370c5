/** A mock as a file. */
import type { MockExport } from '../../../client/shapes.ts';
import { MOCK_EXPORT_NAMES } from '../../../interchange/mock-formats.ts';
import { Type } from '../../../model/schema-type.ts';
import { ANSWER_BYTES_MAX } from '../../answer.ts';
import { ToolError } from '../../tool-error.ts';
import { mock } from '../shapes.ts';
import { tool } from '../tool.ts';

/** Bound of a file, as a text in JSON. */
export const FILE_BYTES_MAX = ANSWER_BYTES_MAX - 5_000;

export const exportMock = tool({
  name: 'mocks_export',
  verb: 'export',
  hasOwnCommand: true,
  access: 'read',
  description: 'Writes a mock as a file, to keep it in a repository or to bring it back after a deletion.',
  input: Type.Object({
    mock,
    format: Type.Optional(Type.Enum([...MOCK_EXPORT_NAMES])),
    from: Type.Optional(Type.Enum(['saved', 'staged'])),
  }),
  async run(api, { mock: id, format, from }) {
    const { data } = await api.get<MockExport>(['mocks', id, 'export'], { format, from, report: true });
    const { file, report } = data;
    const bytes = Buffer.byteLength(JSON.stringify(file));
    if (bytes > FILE_BYTES_MAX) {
      const todo = `run \`switchyard export ${id}\`, or read it in parts with routes_list and routes_read`;
      throw new ToolError(413, `the file has ${bytes} bytes, too many for an answer: ${todo}`);
    }
    return { data: { file, notCarriedOver: report.entries }, isRecorded: true };
  },
});
