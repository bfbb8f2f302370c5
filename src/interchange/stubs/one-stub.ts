/** Reads stubs of WireMock one by one: each is one route, for a list that is changed stub by stub. Neighbours are not joined, as an import does. */
import type { JsonObject } from '../../base/json-object.ts';
import { estimatedSize } from '../../languages/linear-pattern.ts';
import { DRAFT_INSTRUCTIONS_INLINE_MAX, type MockLimits } from '../../limits.ts';
import type { MockRoute, Scenario } from '../../model/mocks/definition/definition.ts';
import { isHeavyDraft } from '../../model/mocks/definition/mock-payload.ts';
import { importMocks } from '../import-mocks.ts';
import { CODES, type Code } from '../report/codes.ts';
import type { SourceFile } from '../source/bundle.ts';

/** Inexact part of a stub. */
export interface StubProblem {
  /** Code of reports; absent where the stub cannot be read at all. */
  readonly code?: Code;
  /** JSON pointer into the stub. */
  readonly pointer: string;
  readonly detail: string;
}

export interface ReadStub {
  /** Undefined where none can be made: `problems` say why. */
  readonly route: MockRoute | undefined;
  /** Those that the stub names, with the states that it names. */
  readonly scenarios: readonly Scenario[];
  readonly problems: readonly StubProblem[];
}

/** A stub as JSON, with the file that it takes its body from. */
export interface StubSource {
  readonly json: string;
  readonly file?: SourceFile | undefined;
}

/** Whether reading it could block the event loop: judged by its length, and by every text in it as if that were a pattern. */
export function isHeavyStub(stub: JsonObject, { json, file }: StubSource): boolean {
  if (json.length + (file?.bytes.length ?? 0) > BYTES_INLINE_MAX || json.includes('"matchesJsonSchema"')) return true;
  return isHeavyDraft(stub) || instructionsIn(stub.request, DRAFT_INSTRUCTIONS_INLINE_MAX) < 0;
}

const BYTES_INLINE_MAX = 65_536;

/** @param left How many may be found. @returns How many are left; below 0 where there are more. */
function instructionsIn(value: unknown, left: number): number {
  if (typeof value === 'string') return left - estimatedSize(value);
  if (typeof value !== 'object' || value === null) return left;
  let remaining = left;
  for (const each of Object.values(value)) {
    remaining = instructionsIn(each, remaining);
    if (remaining < 0) break;
  }
  return remaining;
}

const ENTRY = 'mappings/stub.json';

export function readStub({ json, file }: StubSource, limits: MockLimits): ReadStub {
  const files = [{ path: ENTRY, bytes: Buffer.from(json) }, ...(file === undefined ? [] : [file])];
  const read = importMocks(files, ENTRY, { format: 'wiremock', stubsAlone: true }, limits);
  if ('details' in read) {
    const problems = read.details.map(({ message }) => ({ pointer: '', detail: message }));
    return { route: undefined, scenarios: [], problems };
  }
  const { mocks, report } = read;
  const { settings, routes } = mocks[0]?.definition ?? { settings: undefined, routes: [] };
  const listed = report.entries.map(({ code, source, message }) => problem(code, source.pointer, message));
  const counted = report.classes.flatMap(({ code, level, message }) =>
    level === 'exact' ? [] : [problem(code, '', message)],
  );
  return { route: routes[0], scenarios: settings?.scenarios ?? [], problems: [...listed, ...counted] };
}

function problem(code: Code, pointer: string, message: string): StubProblem {
  return { code, pointer, detail: `${message}. ${CODES[code].instead}` };
}
