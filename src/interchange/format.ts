/**
 * Exports of every format. A format looks at content alone, reads each member of the source once, and reports what it cannot carry over.
 *
 * Readers of mocks make what `POST /v1/mocks` takes; checked-mock.ts holds it against the model afterwards, so that a reader need not know
 * its limits.
 */
import type { MockDefinition, MockResponse, MockRoute } from '../model/mocks/definition/definition.ts';
import type { RECORDED_PATHS } from '../model/mocks/upstream/replay-schema.ts';
import type { ConditionFlags } from '../model/mocks/definition/condition-kinds.ts';
import type { Code } from './report/codes.ts';
import type { Item, ReportWriter } from './report/report.ts';
import type { Bundle } from './source/bundle.ts';
import type { Member } from './source/member.ts';

const FORMAT_NAMES = [
  'switchyard',
  'openapi',
  'har',
  'postman',
  'mockoon',
  'wiremock',
  'mountebank',
  'mockserver',
  'json-server',
  'requestly',
] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The format of the content, and what it was recognised by. */
export interface Detection {
  readonly format: FormatName;
  readonly version?: string;
  readonly detectedBy: string;
}

/** A format that the content is nearly of. */
export interface NearMiss {
  readonly format: FormatName;
  /** "`openapi` is 2.9: 3.0 and 3.1 are read". */
  readonly missing: string;
}

/** How a client wants a file read. */
export interface ImportOptions {
  /** Read as this one, whatever the content looks like. */
  readonly format?: FormatName;
  readonly name?: string;
  /** The name of the file or folder: that of a mock whose content has none. */
  readonly fileName?: string;
  /** The name of a file that came alone, which may tell its format. */
  readonly entryName?: string;
  /** The host of a HAR that becomes the mock. */
  readonly host?: string;
  /** OpenAPI: responses in front that refuse requests without what is required. */
  readonly validate?: boolean;
  /** OpenAPI: bodies that are made from schemas are templates with made-up values. */
  readonly faker?: boolean;
  /** OpenAPI: operations on a list and its items read and change a store, which begins with the examples. */
  readonly crud?: boolean;
  /** HAR: the recorded times become latencies. */
  readonly latency?: boolean;
  /** HAR: `paths` "ids", where that is not given. */
  readonly parameterise?: boolean;
  /** HAR: which ids in paths become parameters. "exact" when absent. */
  readonly paths?: (typeof RECORDED_PATHS)[number];
  /** HAR: request headers that tell requests apart, as queries and bodies do. */
  readonly distinguishBy?: readonly string[];
  /** HAR: responses keep the request that got them. */
  readonly samples?: boolean;
  /** WireMock: stubs come into another mock, so their responses say all of a proxy. */
  readonly stubsAlone?: boolean;
  /** HAR, Postman: URLs of the recorded host become those of the mock. */
  readonly rewriteUrls?: boolean;
  /** WireMock: all stubs are templates. */
  readonly globalTemplates?: boolean;
  /** Templates whose text is JSON keep it JSON. */
  readonly jsonTemplates?: boolean;
}

export interface ReadCondition extends ConditionFlags {
  readonly target: string;
  readonly property?: string;
  readonly operator: string;
  readonly value?: string;
  readonly invert?: boolean;
}

export type ReadRule =
  | ReadCondition
  | { readonly all: readonly ReadRule[] }
  | { readonly any: readonly ReadRule[] }
  | { readonly not: ReadRule }
  | { readonly anyPart: readonly ReadRule[] };

type OwnMember =
  | 'id'
  | 'label'
  | 'status'
  | 'headers'
  | 'body'
  | 'default'
  | 'templated'
  | 'weight'
  | 'callbacks'
  | 'sample';
type Untyped = Exclude<keyof MockResponse, OwnMember | 'rules'>;

/** A response as a format has read it: the model checks it. */
export interface ReadResponse
  extends Partial<Pick<MockResponse, OwnMember>>, Partial<Readonly<Record<Untyped, unknown>>> {
  readonly item: Item;
  /** Further items of the source that this response stands for. */
  readonly others?: readonly Item[];
  readonly rules?: readonly ReadRule[];
}

export interface ReadRoute extends Partial<Omit<MockRoute, 'method' | 'path' | 'selection' | 'responses'>> {
  readonly item: Item;
  readonly method: string;
  readonly path: string;
  readonly selection?: string;
  readonly responses: readonly ReadResponse[];
}

/** A mock as a file says it, not yet checked. */
export interface ReadMock {
  readonly name: string;
  readonly description?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Hosts that it was recorded of, with their ports. */
  readonly hosts?: readonly string[];
  readonly routes: readonly ReadRoute[];
}

/** Definition that is written as a file. */
export interface NamedDefinition {
  readonly name: string;
  readonly description: string;
  readonly definition: MockDefinition;
}

/** A format that becomes mocks. */
export interface MockFormat {
  readonly name: FormatName;
  /** Whether the files of a folder that are of the format are read together, whichever is the entry. */
  readonly isFolder?: boolean;
  /** Where the files of a folder are that are of the format, whatever else it holds. */
  readonly folder?: RegExp;
  /** Notes members that the reader left unread; "import.unknown" unless given. */
  readonly unknown?: Code;
  /**
   * Looks at the content; accounts for nothing.
   *
   * @param path Of the file in its bundle, where the content does not say its format. @returns undefined when it has nothing of the format.
   */
  detect(content: unknown, path?: string): Detection | NearMiss | undefined;
  /** @param root The entry of the bundle. */
  read(root: Member, bundle: Bundle, options: ImportOptions, report: ReportWriter): readonly ReadMock[];
}

/** A rule or a group as a file says it, not yet checked. */
export interface ReadRecord {
  readonly kind: 'rule' | 'group';
  readonly item: Item;
  readonly source: Member;
  /** Its id in the file, by which rules name their group. */
  readonly id?: string;
  /** Payload of `POST /v1/rules` or `/v1/groups`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Why it cannot be kept, where the format knows better than the model. */
  readonly refusedBy?: Code;
}

/** A format that becomes rules and groups. */
export interface RulesFormat {
  readonly name: FormatName;
  /** Detects like that of MockFormat. */
  detect(content: unknown): Detection | NearMiss | undefined;
  read(root: Member, report: ReportWriter): readonly ReadRecord[];
}

export function isDetection(found: Detection | NearMiss): found is Detection {
  return 'detectedBy' in found;
}
