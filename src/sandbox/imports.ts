/**
 * In the API process: has files read and written by a thread of their own, and takes over what was read in slices of the event loop.
 */
import { bufferOf } from '../base/bytes.ts';
import { Slices } from '../base/slices.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import type { CheckedMock } from '../interchange/checked-mock.ts';
import type { MockImport, MockPreview } from '../interchange/import-mocks.ts';
import type { ImportProblem } from '../interchange/reading/open-source.ts';
import type { RulesImport } from '../interchange/import-rules.ts';
import { IMPORT_MS, type Limits } from '../limits.ts';
import type { MockRoute } from '../model/mocks/definition/definition.ts';
import { ABLE, type RuleAbilities } from '../model/rule-abilities.ts';
import type { Lane } from './lane.ts';
import { refusalOfFields } from './refusal-fields.ts';
import type {
  ExportTask,
  ImportTask,
  MocksTask,
  PackedExport,
  PackedMock,
  PackedMocks,
  ReadRules,
} from './run-import.ts';

type MocksSource = Pick<MocksTask, 'source' | 'options'>;

export class Imports {
  readonly #lane: Lane;
  readonly #limits: Limits;
  readonly #ms: number;
  readonly #abilities: RuleAbilities;

  /** @param ms Duration of one import. @param abilities What imported rules may do on this server. */
  constructor(lane: Lane, limits: Limits, ms = IMPORT_MS, abilities = ABLE) {
    this.#lane = lane;
    this.#limits = limits;
    this.#ms = ms;
    this.#abilities = abilities;
  }

  /** @returns undefined when it exceeded its time or memory; a refusal when too many of the owner wait. */
  async mocks(ownerId: string, source: MocksSource): Promise<MockImport | ImportProblem | undefined | Refusal> {
    const packed = await this.#packed(ownerId, source);
    if (packed === undefined || isRefusal(packed) || 'details' in packed) return packed;
    const mocks: CheckedMock[] = [];
    for (const mock of packed.mocks) mocks.push(await unpacked(mock));
    return { mocks, report: packed.report };
  }

  /** The same for a dry run. */
  async preview(ownerId: string, source: MocksSource): Promise<MockPreview | ImportProblem | undefined | Refusal> {
    const packed = await this.#packed(ownerId, source);
    if (packed === undefined || isRefusal(packed) || 'details' in packed) return packed;
    return { definitions: previewOf(packed.mocks), report: packed.report };
  }

  /** Imports like `mocks`; refused also when the file has too many records. */
  async rules(ownerId: string, file: Uint8Array): Promise<RulesImport | ImportProblem | undefined | Refusal> {
    const task: ImportTask = { kind: 'rules', file, limits: this.#limits, abilities: this.#abilities };
    const read = await this.#lane.run<ReadRules>(ownerId, 'runImport', task, this.#ms);
    if (read === undefined || isRefusal(read)) return read;
    return 'refused' in read ? refusalOfFields(read.refused) : read;
  }

  /** Writes a mock as a file. Results as above. */
  write(ownerId: string, written: Pick<ExportTask, 'named' | 'format'>): Promise<PackedExport | undefined | Refusal> {
    const task: ImportTask = { kind: 'export', ...written };
    return this.#lane.run<PackedExport>(ownerId, 'runImport', task, this.#ms);
  }

  #packed(ownerId: string, source: MocksSource): Promise<PackedMocks | ImportProblem | undefined | Refusal> {
    const task: ImportTask = { kind: 'mocks', limits: this.#limits.mocks, ...source };
    return this.#lane.run<PackedMocks | ImportProblem>(ownerId, 'runImport', task, this.#ms);
  }
}

async function unpacked({ name, description, settings, routes: bytes, ends }: PackedMock): Promise<CheckedMock> {
  const text = bufferOf(bytes);
  const routes: MockRoute[] = [];
  const slices = new Slices();
  await slices.begin();
  let start = 1;
  for (const end of ends) {
    routes.push(JSON.parse(text.toString('utf8', start, end)) as MockRoute);
    start = end + 1;
    if (slices.due()) await slices.next();
  }
  return { name, description, definition: { settings, routes } };
}

function previewOf(mocks: readonly PackedMock[]): Buffer {
  const parts: Buffer[] = [];
  for (const { name, description, settings, routes } of mocks) {
    const head = JSON.stringify({ name, description, settings }).slice(0, -1);
    parts.push(Buffer.from(`${parts.length === 0 ? '[' : ','}${head},"routes":`), bufferOf(routes), Buffer.from('}'));
  }
  parts.push(Buffer.from(parts.length === 0 ? '[]' : ']'));
  return Buffer.concat(parts);
}
