/** Writes a mock as a file, with a report of what the format has no place for. */
import type { MockExportName } from './mock-formats.ts';
import { writeOpenApi } from './formats/openapi/write.ts';
import type { NamedDefinition } from './format.ts';
import { writeSwitchyard } from './formats/switchyard.ts';
import { withCrudAsRoutes } from './crud-as-routes.ts';
import { ReportWriter, type Report } from './report/report.ts';

interface MockExport {
  /** The text of the file. */
  readonly file: string;
  readonly report: Report;
}

export function exportMock(named: NamedDefinition, format: MockExportName): MockExport {
  const report = new ReportWriter();
  const file = WRITERS[format](named, report);
  return { file, report: report.finish(FACTS[format], () => () => undefined) };
}

const WRITERS: Readonly<Record<MockExportName, (named: NamedDefinition, report: ReportWriter) => string>> = {
  switchyard(named, report) {
    report.item('mock');
    for (const { responses } of named.definition.routes) {
      report.item('route');
      for (const { rules } of responses) {
        report.item('response');
        rules.forEach(() => report.item('rule'));
      }
    }
    return writeSwitchyard(named);
  },
  openapi: (named, report) =>
    writeOpenApi({ ...named, definition: withCrudAsRoutes(named.definition, 'openapi-export.store', report) }, report),
};

const FACTS: Readonly<Record<MockExportName, Pick<Report, 'format' | 'version' | 'detectedBy'>>> = {
  switchyard: { format: 'switchyard', version: '1', detectedBy: 'asked for' },
  openapi: { format: 'openapi', version: '3.1.0', detectedBy: 'asked for' },
};
