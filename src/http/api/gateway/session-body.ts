/** Reads the bodies that make a session of the gateway, or replace its overlay. What they name is checked afterwards. */
import type { JsonObject } from '../../../base/json-object.ts';
import { isRefusal, refuse, refuseLimit, type Detail, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX, GATEWAY_ATTACH_MAX, SESSION_IDLE_MS, SESSION_RULES_MAX, type Limits } from '../../../limits.ts';
import { HOST_NAMES, hostNameOf } from '../../../model/gateway/host-name.ts';
import {
  gatewayOverlayFrame,
  gatewayOverlaySchema,
  gatewaySessionDraftSchema,
  gatewaySessionFrame,
} from '../../../model/gateway/session-schema.ts';
import { OVERLAID_VERSION, type GatewayOverlay } from '../../../model/gateway/session.ts';
import { parseBody } from '../../../model/json-body.ts';
import { pointerTo } from '../../../model/mocks/definition/pointer.ts';
import { OVERLAY_BYTES_MAX, type OverlayDraft } from '../../../model/mocks/sessions/session-payload.ts';
import { heavyPatterns, NONE_CHECKED } from '../../../model/pairs/source-pattern.ts';
import { placedDrafts, refusedAt } from '../../../model/rule-drafts.ts';
import { ruleParser } from '../../../model/rule-payload.ts';
import { compileCheck, refusalOf } from '../../../model/validate.ts';
import { overlayBytes } from '../../../rules-table/rule-overlay.ts';
import type { GatewayOverlayDraft, GatewaySessionDraft } from '../../../sessions/gateway-book.ts';
import type { Call } from '../../call.ts';
import type { EndpointBody } from '../../endpoint.ts';
import type { DraftBodies } from '../mocks/drafts.ts';
import type { CheckPatterns } from '../rules.ts';

type SentOverlay = Partial<
  Pick<GatewayOverlay, 'disabledRules' | 'enabledRules' | 'attach' | 'mode' | 'others' | 'propagate'>
> & {
  readonly rules?: readonly JsonObject[];
  readonly mocks?: Readonly<Record<string, object>>;
};

type SentSession = Partial<Pick<GatewaySessionDraft, 'id' | 'label' | 'idleMs' | 'seed'>> & {
  readonly overlay?: SentOverlay;
};

export interface SessionBodies {
  readonly session: EndpointBody<GatewaySessionDraft>;
  readonly overlay: EndpointBody<GatewayOverlayDraft>;
}

const INVALID = 'gatewayPayloadInvalid';

const EMPTY: GatewayOverlay = { rules: [], disabledRules: [], enabledRules: [], attach: {} };

export function sessionBodies(
  limits: Limits,
  checkPatterns: CheckPatterns,
  mockOverlay: DraftBodies['overlay'],
): SessionBodies {
  const checkSession = compileCheck(gatewaySessionFrame);
  const checkOverlay = compileCheck(gatewayOverlayFrame);
  const parseRule = ruleParser(limits);

  const rulesOf = async (
    sent: readonly JsonObject[],
    ownerId: string,
    at: string,
  ): Promise<GatewayOverlay['rules'] | Refusal> => {
    if (sent.length > SESSION_RULES_MAX) return refuseLimit(`${SESSION_RULES_MAX} rules per overlay`, `${at}/rules`);
    const heavy = [...new Set(sent.flatMap(heavyPatterns))];
    const checked = heavy.length === 0 ? NONE_CHECKED : await checkPatterns(ownerId, heavy);
    if (isRefusal(checked)) return checked;
    const drafts = placedDrafts(sent, parseRule, checked);
    if (isRefusal(drafts)) return refusedAt(at, drafts, INVALID);
    return drafts.map(({ id, name, ruleType, status, groupId, pairs }, index) => ({
      id,
      name,
      ruleType,
      status,
      groupId,
      pairs,
      createdVersion: OVERLAID_VERSION + index,
    }));
  };

  /** @param at Pointer of the overlay in the body. */
  const overlayOf = async (sent: SentOverlay, call: Call, at: string): Promise<GatewayOverlayDraft | Refusal> => {
    const sentBytes = Buffer.byteLength(JSON.stringify(sent));
    if (sentBytes > OVERLAY_BYTES_MAX) return refuseLimit(`${OVERLAY_BYTES_MAX} bytes of an overlay`, at);
    const rules = await rulesOf(sent.rules ?? [], call.caller.ownerId, at);
    if (isRefusal(rules)) return rules;
    const attach = attachedIn(sent.attach ?? {}, at);
    if (isRefusal(attach)) return attach;
    const propagate = sent.propagate && hostsIn(sent.propagate, at);
    if (isRefusal(propagate)) return propagate;
    const { disabledRules = [], enabledRules = [], mode, others } = sent;
    const both = enabledRules.findIndex((id) => disabledRules.includes(id));
    if (both !== -1) return invalid(`${at}/enabledRules/${both}`, 'is also in `disabledRules`');
    const mocks = new Map<string, OverlayDraft>();
    for (const [mockId, given] of Object.entries(sent.mocks ?? {})) {
      const draft = await mockOverlay.read?.(Buffer.from(JSON.stringify(given)), call);
      if (isRefusal(draft)) return refusedAt(`${at}/mocks/${pointerTo(mockId)}`, draft, INVALID);
      if (draft !== undefined) mocks.set(mockId, draft);
    }
    const overlay = { rules, disabledRules, enabledRules, attach, mode, others, propagate };
    return { overlay, mocks, bytes: sentBytes + overlayBytes(overlay) };
  };

  const bytesMax = limits.mocks.definitionBytesMax;
  return {
    session: {
      schema: gatewaySessionDraftSchema(limits),
      examples: { Session: { label: 'a test', overlay: { others: 'refuse' } } },
      bytesMax,
      invalid: INVALID,
      async read(bytes, call) {
        const json = parseBody(bytes, INVALID);
        if (isRefusal(json)) return json;
        const problems = checkSession(json, '');
        if (problems !== undefined) return refusalOf(problems, INVALID);
        const { id, label = '', idleMs = SESSION_IDLE_MS, seed, overlay } = json as SentSession;
        const given = { id, label, idleMs, seed };
        if (overlay === undefined) return { ...given, overlay: EMPTY, mocks: new Map(), bytes: 0 };
        const draft = await overlayOf(overlay, call, '/overlay');
        return isRefusal(draft) ? draft : { ...given, ...draft };
      },
    },
    overlay: {
      schema: gatewayOverlaySchema(limits),
      examples: { Overlay: { others: 'refuse' } },
      bytesMax,
      invalid: INVALID,
      async read(bytes, call) {
        const json = parseBody(bytes, INVALID);
        if (isRefusal(json)) return json;
        const problems = checkOverlay(json, '');
        return problems === undefined ? overlayOf(json, call, '') : refusalOf(problems, INVALID);
      },
    },
  };
}

function attachedIn(sent: Readonly<Record<string, string>>, at: string): Record<string, string> | Refusal {
  const given = Object.entries(sent);
  if (given.length > GATEWAY_ATTACH_MAX) return refuseLimit(`${GATEWAY_ATTACH_MAX} attached hosts`, `${at}/attach`);
  const details: Detail[] = [];
  const attached: Record<string, string> = {};
  for (const [text, mockId] of given) {
    const host = hostNameOf(text);
    const path = `${at}/attach/${pointerTo(text)}`;
    if (host === undefined) details.push({ path, message: `expected ${HOST_NAMES}` });
    else if (Object.hasOwn(attached, host)) details.push({ path, message: `${host} is a duplicate` });
    else attached[host] = mockId;
  }
  return details.length === 0 ? attached : refuse(INVALID, details.slice(0, DETAILS_MAX));
}

function hostsIn(sent: readonly string[], at: string): string[] | Refusal {
  const hosts = sent.map((text) => hostNameOf(text));
  const wrong = hosts.indexOf(undefined);
  if (wrong !== -1) return invalid(`${at}/propagate/${wrong}`, `expected ${HOST_NAMES}`);
  return hosts.filter((host) => host !== undefined);
}

function invalid(path: string, message: string): Refusal {
  return refuse(INVALID, [{ path, message }]);
}
