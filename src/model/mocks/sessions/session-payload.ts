/**
 * Parses the bodies that make a session or replace its overlay, or refuses them with the place of the mistake.
 *
 * session-checks.ts checks afterwards that the named parts of the mock exist.
 */
import type { JsonObject } from '../../../base/json-object.ts';
import { isRefusal, refuseLimit, refuse, type Refusal } from '../../../errors.ts';
import { MOCK_INSTRUCTIONS_MAX, type MockLimits } from '../../../limits.ts';
import { normaliser } from '../../normalise.ts';
import { compileCheck, refusalOf, quoteValue } from '../../validate.ts';
import type { MockRoute } from '../definition/definition.ts';
import { tooManyInstructions, type DefinitionParser } from '../definition/definition-payload.ts';
import {
  callbackInstructions,
  responseInstructions,
  routeInstructions,
  streamInstructions,
} from '../definition/edit-checks.ts';
import { pointerTo } from '../definition/pointer.ts';
import { EMPTY_OVERLAY, type OverlaySettings, type ResponseChange, type SessionOverlay } from './session.ts';
import { bareSessionShape, mergeShape, overlayFrame, pickShape, sessionFrame } from './session-schema.ts';
import type { Value } from '../../schema-value.ts';

/** Overlay of a session. (shown: Sessions of mocks) As the JSON that was sent. */
export const OVERLAY_BYTES_MAX = 1_048_576;

export interface OverlayDraft {
  readonly overlay: SessionOverlay;
  /** Size as JSON, as sent. */
  readonly overlayBytes: number;
}

export interface SessionDraft extends Value<typeof bareSessionShape>, OverlayDraft {}

const normaliseSession = normaliser(bareSessionShape);

/** An auto-made session, and the defaults of others. */
export const EMPTY_SESSION: SessionDraft = { ...normaliseSession({}), overlay: EMPTY_OVERLAY, overlayBytes: 0 };

interface SessionParser {
  readonly session: (body: JsonObject) => SessionDraft | Refusal;
  readonly overlay: (body: JsonObject) => OverlayDraft | Refusal;
}

interface SentOverlay {
  readonly routes?: readonly unknown[];
  readonly responses?: Readonly<Record<string, unknown>>;
  readonly disabled?: readonly string[];
  readonly settings?: OverlaySettings;
}

export function sessionParser(parser: DefinitionParser, limits: MockLimits): SessionParser {
  const checkSession = compileCheck(sessionFrame);
  const checkOverlay = compileCheck(overlayFrame);
  const changeOf = changeParser(parser, limits);

  /** @param at Pointer of the overlay in the body. */
  const overlayAt = (body: JsonObject, at: string): OverlayDraft | Refusal => {
    const overlayBytes = Buffer.byteLength(JSON.stringify(body));
    if (overlayBytes > OVERLAY_BYTES_MAX) return refuseLimit(`${OVERLAY_BYTES_MAX} bytes of an overlay`, at);
    const problems = checkOverlay(body, at);
    if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
    const sent = body as SentOverlay;
    const routes = parser.routes(sent.routes ?? [], at);
    if (isRefusal(routes)) return routes;
    const responses: [routeId: string, change: ResponseChange][] = [];
    for (const [routeId, each] of Object.entries(sent.responses ?? {})) {
      const change = changeOf(each, `${at}/responses/${pointerTo(routeId)}`);
      if (isRefusal(change)) return change;
      responses.push([routeId, change]);
    }
    const settings = settingsOf(parser, sent.settings, at);
    if (isRefusal(settings)) return settings;
    if (instructionsOf(routes, responses) > MOCK_INSTRUCTIONS_MAX) return tooManyInstructions(at);
    const disabled = [...new Set(sent.disabled)];
    return { overlay: { routes, responses: Object.fromEntries(responses), disabled, settings }, overlayBytes };
  };

  return {
    session(body) {
      const problems = checkSession(body, '');
      if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
      const { overlay: sent, ...given } = body;
      if (Buffer.byteLength(JSON.stringify(given)) > OVERLAY_BYTES_MAX)
        return refuseLimit(`${OVERLAY_BYTES_MAX} bytes of the values of a session`, '/stores');
      const draft = { ...EMPTY_SESSION, ...normaliseSession(given) };
      if (sent === undefined) return draft;
      const overlay = overlayAt(sent as JsonObject, '/overlay');
      return isRefusal(overlay) ? overlay : { ...draft, ...overlay };
    },
    overlay: (body) => overlayAt(body, ''),
  };
}

/** Reads what a session answers instead of a route's responses: which of the three forms it is, its members say. */
function changeParser(parser: DefinitionParser, limits: MockLimits) {
  const checkPick = compileCheck(pickShape);
  const ofMerge = mergeShape(limits);
  const checkMerge = compileCheck(ofMerge);
  const normaliseMerge = normaliser(ofMerge);
  return (sent: unknown, at: string): ResponseChange | Refusal => {
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
      const message = `expected {responseId}, {merge} or a response, got ${quoteValue(sent)}`;
      return refuse('mockPayloadInvalid', [{ path: at, message }]);
    }
    if ('responseId' in sent) {
      const problems = checkPick(sent, at);
      if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
      return { kind: 'pick', responseId: sent.responseId as string };
    }
    if ('merge' in sent) {
      const problems = checkMerge(sent, at);
      if (problems !== undefined) return refusalOf(problems, 'mockPayloadInvalid');
      // As a response of its own: the members are checked, and what they say together.
      const checked = parser.response(sent.merge, `${at}/merge`, true);
      return isRefusal(checked) ? checked : { kind: 'merge', ...normaliseMerge(sent) };
    }
    const response = parser.response(sent, at);
    return isRefusal(response) ? response : { kind: 'replace', response };
  };
}

function settingsOf(
  parser: DefinitionParser,
  given: OverlaySettings | undefined,
  at: string,
): OverlaySettings | Refusal {
  if (given === undefined) return {};
  const checked = parser.settings(given, `${at}/settings`);
  return isRefusal(checked) ? checked : given;
}

function instructionsOf(
  routes: readonly MockRoute[],
  responses: readonly (readonly [routeId: string, change: ResponseChange])[],
): number {
  const replaced = responses.flatMap(([, change]) => (change.kind === 'replace' ? [change.response] : []));
  const merged = responses.map(([, change]) =>
    change.kind === 'merge' ? callbackInstructions(change.merge) + streamInstructions(change.merge) : 0,
  );
  const added = routes.reduce((sum, route) => sum + routeInstructions(route), 0);
  return added + responseInstructions(replaced) + merged.reduce((sum, each) => sum + each, 0);
}
