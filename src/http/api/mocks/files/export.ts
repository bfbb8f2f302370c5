/** A mock as a file: our own, or one of another tool; docs/interchange.md. */
import { bufferOf } from '../../../../base/bytes.ts';
import { isRefusal, type Refusal } from '../../../../errors.ts';
import { exportMock } from '../../../../interchange/export-mock.ts';
import { fidelityOf } from '../../../../interchange/report/fidelity.ts';
import { MOCK_EXPORT_NAMES, type MockExportName } from '../../../../interchange/mock-formats.ts';
import type { Report } from '../../../../interchange/report/report.ts';
import { copyBytes, definitionOf, type Mock } from '../../../../model/mocks/mock.ts';
import type { MockDefinition } from '../../../../model/mocks/definition/definition.ts';
import { etagOf } from '../../../../model/precondition.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { Call } from '../../../call.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { operationsOf } from '../../operation.ts';
import { refuseImport } from '../../import-body.ts';
import type { MocksContext } from '../replies.ts';
import { ofMock } from '../traffic/traffic-scope.ts';

/** A mock that is larger is written by that thread. */
export const EXPORT_BYTES_INLINE_MAX = 262_144;

interface ExportTask {
  readonly named: { readonly name: string; readonly description: string; readonly definition: MockDefinition };
  readonly format: MockExportName;
}

/** Writes a large mock in a thread. undefined: it took too long. */
type WriteInThread = (
  ownerId: string,
  written: ExportTask,
) => Promise<{ readonly bytes: Uint8Array; readonly report: Report } | undefined | Refusal>;

const exportQuery = Type.Object({
  format: Type.Optional(Type.Enum([...MOCK_EXPORT_NAMES], { default: 'switchyard' })),
  from: Type.Optional(
    Type.Enum(['saved', 'staged'], { default: 'saved', description: 'The served version, or the working copy.' }),
  ),
  report: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Returns `{"success": true, "data": {"file", "report"}}` instead of the file.',
    }),
  ),
});

export function mockExportApi({ owners }: MocksContext, writeInThread: WriteInThread): Endpoint[] {
  return [
    operationsOf('Mocks', ofMock(owners))('exportMock', 'GET /export', {
      summary: 'Export the mock as a Switchyard file, for git, or as an OpenAPI document',
      query: exportQuery,
      file: '*/*',
      refuses: ['importInvalid'],
      run(call, { found: mock, query }) {
        const { format = 'switchyard', from = 'saved', report: isReported = false } = query;
        const copy = mock[from];
        const { name, description } = mock;
        const written: ExportTask = {
          named: { name, description, definition: definitionOf(copy) },
          format,
        };
        const tag = from === 'staged' ? `\r\netag: ${etagOf(mock.stagedVersion)}` : '';
        const send = (bytes: Buffer, report: Report): void =>
          isReported
            ? replyReport(call, bytes, report, tag)
            : replyFile(call, bytes, report, fileName(mock, written), tag);
        if (copyBytes(copy) <= EXPORT_BYTES_INLINE_MAX) {
          const { file, report } = exportMock(written.named, written.format);
          return send(Buffer.from(file), report);
        }
        return call.answer(
          copyBytes(copy),
          () =>
            void call.later(writeInThread(call.caller.ownerId, written), (found) => {
              if (isRefusal(found)) return call.refuse(found);
              if (found === undefined) return call.refuse(refuseImport(undefined));
              const { bytes, report } = found;
              return send(bufferOf(bytes), report);
            }),
        );
      },
    }),
  ];
}

function replyFile(call: Call, bytes: Buffer, report: Report, name: string, tag: string): void {
  const headers = `\r\ncontent-disposition: attachment; filename="${name}"\r\nx-switchyard-fidelity: ${shownFidelity(report)}${tag}`;
  call.send(200, 'application/json; charset=utf-8', bytes, headers);
}

function replyReport(call: Call, bytes: Buffer, report: Report, tag: string): void {
  const data = { file: bytes.toString('utf8'), report };
  call.succeed(`"data":${JSON.stringify(data)}`, tag);
}

const NAME_CHARS_MAX = 60;

/** The mock's name, reduced to what any file system takes: "payments.switchyard.json". */
function fileName({ id, name }: Mock, { format }: ExportTask): string {
  const own = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_CHARS_MAX)
    .replaceAll(/^-+|-+$/g, '');
  return `${own === '' ? id : own}.${format}.json`;
}

/** "approximated=4, dropped=1" */
function shownFidelity(report: Report): string {
  const { approximated, dropped } = fidelityOf(report);
  return `approximated=${approximated}, dropped=${dropped}`;
}
