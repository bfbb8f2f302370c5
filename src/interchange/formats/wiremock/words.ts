/**
 * Templates of WireMock in our words: its documented helpers and members of the request. What prints otherwise was found by asking it.
 *
 * Where it compares, it does so by type, and values of the query, headers and cookies are lists there.
 */
import type { Rewording, Use } from '../../templates/reword.ts';
import { called, callOf, pathText, quoted, type Call, type Term } from '../../templates/terms.ts';
import { parameterName } from '../../exchanges/literal-path.ts';
import { Words } from '../../templates/words.ts';
import { BLOCKS } from './word-blocks.ts';
import { HELPERS } from './word-helpers.ts';
import { kindOf, noteJson } from './word-kinds.ts';

interface StubTemplate {
  /** Names of the parameters in its path. */
  readonly parameters: ReadonlySet<string>;
  /** Its `transformerParameters`. */
  readonly values: Readonly<Record<string, unknown>>;
}

export class WireMockWords extends Words {
  readonly #stub: StubTemplate;

  constructor(stub: StubTemplate) {
    super(BLOCKS);
    this.#stub = stub;
  }

  override value(term: Term, use: Use, context: Rewording): string | undefined {
    if (use === 'printed' && context.next === '}' && !context.tag.startsWith('{{{'))
      context.differs('the brace after it makes the template fail');
    if (term.kind === 'literal') {
      if (use === 'printed') return undefined;
      return typeof term.value === 'string' ? quoted(term.value) : String(term.value);
    }
    if (term.kind === 'name' && !this.#isHelper(term, context)) return this.#path(term, use, context);
    const call = callOf(term) as Call;
    const helper = Object.hasOwn(HELPERS, call.name) ? HELPERS[call.name] : undefined;
    const own = helper?.(call, use, this.speaker(context));
    if (own !== undefined && use === 'printed' && kindOf(call, context) === 'list')
      context.differs('a list is printed as [a, b]');
    return own;
  }

  #isHelper(term: Term, context: Rewording): boolean {
    const call = callOf(term);
    return call !== undefined && Object.hasOwn(HELPERS, call.name) && !context.isLocal(call.name);
  }

  #path(term: Term & { kind: 'name' }, use: Use, context: Rewording): string | undefined {
    const { up, name, steps } = term;
    if (name === 'request') return this.#request(steps, use);
    if (name === 'parameters') return this.#parameter(steps, use);
    if (use === 'printed' && (name === '@first' || name === '@last')) context.differs('it prints its name, or nothing');
    if (use === 'printed' && context.variable(name)?.kind === 'call') noteJson(context);
    return context.isLocal(name) || context.hasItem || (name.startsWith('@') && steps.length === 0)
      ? pathText(up, name, steps)
      : undefined;
  }

  #parameter(steps: readonly string[], use: Use): string | undefined {
    const [name = ''] = steps;
    const value = Object.hasOwn(this.#stub.values, name) ? this.#stub.values[name] : '';
    if (steps.length !== 1 || (typeof value === 'object' && value !== null)) return undefined;
    return typeof value === 'string' || use === 'printed' ? quoted(String(value)) : String(value);
  }

  #request(given: readonly string[], use: Use): string | undefined {
    const steps = given[0] === 'requestLine' ? given.slice(1) : given;
    const [member = '', name, ...inside] = steps;
    const request = (...path: readonly string[]): string => pathText(0, 'request', path);
    switch (member) {
      case 'method':
      case 'url':
      case 'baseUrl':
      case 'clientIp':
      case 'body':
        return name === undefined ? request(member) : undefined;
      case 'bodyAsBase64':
        return called('base64', request('body'));
      case 'host':
        return called('regexExtract', request('host'), "'^[^:]+'");
      case 'port':
        return called('regexExtract', request('host'), "':([0-9]+)$'", '1', "default='80'");
      case 'scheme':
        return called('regexExtract', request('baseUrl'), "'^[a-z]+'");
      case 'path':
      case 'pathSegments':
        // It is a list of segments there, too.
        if (name === undefined) return member === 'path' && use !== 'listed' ? request('path') : undefined;
        if (inside.length > 0) return undefined;
        if (member === 'path' && this.#stub.parameters.has(name)) return request('params', parameterName(name));
        return /^\d+$/.test(name) ? request(member, name) : undefined;
      case 'query':
      case 'headers':
      case 'cookies': {
        if (name === undefined) return undefined;
        const isIndexed = inside.length === 1 && /^\d+$/.test(inside[0] ?? '');
        if (inside.length > 0 && !isIndexed) return undefined;
        if (member !== 'cookies') return request(member, name, ...inside);
        return inside[0] === undefined || inside[0] === '0' ? request('cookies', name) : undefined;
      }
      default:
        return undefined;
    }
  }
}
