/** Reads imposters of mountebank: each of HTTP becomes a mock. The first stub whose predicates hold answers, and at the end the default. */
import { isObject } from '../../base/json-object.ts';
import type { Detection, ImportOptions, MockFormat, ReadMock } from '../format.ts';
import { countMembers, numberIn, objectsIn, textIn, typed, type Members } from '../reading/members.ts';
import type { ReportWriter } from '../report/report.ts';
import type { Bundle } from '../source/bundle.ts';
import type { Member } from '../source/member.ts';
import { EVERY_PATH } from '../stubs/stub-path.ts';
import { stubMock } from '../stubs/stub-mock.ts';
import { isCatchAll } from '../stubs/stub-proxy.ts';
import type { Stub } from '../stubs/stub.ts';
import { readPredicates } from './mountebank/predicates.ts';
import { DefaultResponse, readResponses } from './mountebank/response.ts';

export const mountebankFormat: MockFormat = { name: 'mountebank', detect, read };

function detect(content: unknown): Detection | undefined {
  if (!isObject(content)) return undefined;
  if (Array.isArray(content.imposters)) return { format: 'mountebank', detectedBy: '`imposters`' };
  if (!Array.isArray(content.stubs) || typeof content.protocol !== 'string') return undefined;
  return { format: 'mountebank', detectedBy: '`stubs` with `protocol`' };
}

function read(root: Member, _bundle: Bundle, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const imposters = root.has('imposters') ? objectsIn(root, 'imposters', report) : [root];
  // Each imposter is an item of its own.
  report.itemOf(root).isCounted = imposters.length === 0 || imposters[0] === root;
  const mocks = imposters.flatMap((imposter) => readImposter(imposter, imposter !== root, options, report));
  return mocks.length === 0 ? [{ name: options.name ?? '', routes: [] }] : mocks;
}

const IMPOSTER: Members = {
  port: ['number', 'text'],
  host: ['text'],
  recordRequests: ['flag'],
  recordMatches: ['flag'],
  numberOfRequests: ['number'],
  requests: ['any'],
  _links: ['any'],
  key: ['text'],
  cert: ['text'],
  ca: ['any'],
  ciphers: ['text'],
  mutualAuth: ['flag'],
  rejectUnauthorized: ['flag'],
  schema: ['any'],
  endOfRequestResolver: ['any'],
  mode: ['text'],
  comment: ['any'],
};

/** @param isListed Whether it is one of several, each of which is a mock of the report. */
function readImposter(imposter: Member, isListed: boolean, options: ImportOptions, report: ReportWriter): ReadMock[] {
  const item = isListed ? report.item('mock', imposter) : report.itemOf(imposter);
  const protocol = textIn(imposter, 'protocol') ?? '';
  if (protocol !== 'http' && protocol !== 'https') {
    imposter.whole();
    item.note('mountebank.protocol', imposter, protocol);
    return [];
  }
  const name = textIn(imposter, 'name') ?? `port ${numberIn(imposter, 'port') ?? ''}`.trim();
  countMembers(imposter, IMPOSTER, { code: 'mountebank.imposter' }, report);
  const cors = typed(imposter, 'allowCORS', 'flag');
  if (cors?.value === true) item.note('mountebank.cors', cors);
  const mutual = typed(imposter, 'mutualAuth', 'flag');
  // Without the second, it asks for certificates and takes any.
  if (mutual?.value === true && typed(imposter, 'rejectUnauthorized', 'flag')?.value === true)
    item.note('mountebank.client-certificates', mutual);
  const fallback = new DefaultResponse(typed(imposter, 'defaultResponse', 'object'), item, report);
  const stubs = objectsIn(imposter, 'stubs', report).flatMap((stub) => readStub(stub, fallback, report));
  const last: Stub = { item, method: 'ANY', path: EVERY_PATH, rules: [], responses: [fallback.response()] };
  const end = stubs.at(-1);
  const all = end !== undefined && isCatchAll(end) ? stubs : [...stubs, last];
  return [stubMock(options.name ?? name, all, { uncounted: 'mountebank.sequence' })];
}

const STUB: Members = { comment: ['any'], _links: ['any'], matches: ['any'], _uuid: ['text'], _verify: ['any'] };

function readStub(stub: Member, fallback: DefaultResponse, report: ReportWriter): Stub[] {
  const item = report.item('stub', stub);
  countMembers(stub, STUB, { code: 'mountebank.imposter' }, report);
  const predicates = readPredicates(stub.get('predicates'), item);
  const responses = readResponses(objectsIn(stub, 'responses', report), fallback, item, report);
  if (predicates === undefined || responses === undefined) return [];
  return [{ item, ...predicates, responses }];
}
