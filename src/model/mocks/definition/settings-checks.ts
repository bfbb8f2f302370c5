/** Checks of what settings add to every response: headers, clock, variables and a proxy. */
import { parseTime } from '../../../languages/parse-time.ts';
import { offsetSteps } from '../../../languages/time-shift.ts';
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { SETTINGS_VARIABLES_CHARS_MAX } from '../../../limits.ts';
import type { Report } from '../behaviour/behaviour-checks.ts';
import { checkFaker } from './faker-schema.ts';
import { checkClientCert } from './client-cert.ts';
import { ANY_ORIGIN, NULL_ORIGIN, type CorsSetting } from './cors-schema.ts';
import type { MockSettings } from './definition.ts';
import { headerProblem } from './edit-checks.ts';
import { pointerTo } from './pointer.ts';
import { checkStores } from '../stores/store-checks.ts';
import { checkProxy } from '../upstream/proxy.ts';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** @param sharedDomains As in header-value.ts. */
export function checkAdded(
  { cors, headers = [], clock, variables = {}, proxy, stores = [], clientCert, faker }: MockSettings,
  sharedDomains: readonly string[],
  report: Report,
): void {
  checkCors(cors, (path, problem) => report(`/cors${path}`, problem));
  for (const [index, { name, value }] of headers.entries()) {
    const problem = headerProblem(name, value, sharedDomains) ?? templateProblem(value, 'text');
    if (problem !== undefined) report(`/headers/${index}`, problem);
  }
  if (clock !== undefined && offsetSteps(clock) === undefined && Number.isNaN(parseTime(clock))) {
    report('/clock', 'expected a time as ISO 8601, or an offset such as -7 days or P1D');
  }
  for (const name of Object.keys(variables)) {
    if (!VARIABLE.test(name)) {
      report(
        `/variables/${pointerTo(name)}`,
        'a name starts with a letter or "_" and consists of letters, digits, "_" and "-"',
      );
    }
  }
  if (faker !== undefined) checkFaker(faker, (path, problem) => report(`/faker${path}`, problem));
  if (clientCert !== undefined)
    checkClientCert(clientCert, Date.now(), (path, problem) => report(`/clientCert${path}`, problem));
  checkStores({ stores }, (path, problem) => report(`/stores${path}`, problem));
  if (proxy !== undefined && proxy !== null) {
    checkProxy(proxy, sharedDomains, (path, problem) => report(`/proxy${path}`, problem));
  }
  if (JSON.stringify(variables).length > SETTINGS_VARIABLES_CHARS_MAX) {
    report('/variables', `must have at most ${SETTINGS_VARIABLES_CHARS_MAX} characters of JSON`);
  }
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

function checkCors(cors: CorsSetting, report: Report): void {
  if (typeof cors === 'boolean') return;
  for (const [index, origin] of (cors.origins ?? []).entries()) {
    const problem = originProblem(origin);
    if (problem !== undefined) report(`/origins/${index}`, problem);
  }
  for (const [index, name] of (cors.expose ?? []).entries()) {
    if (!TOKEN.test(name)) report(`/expose/${index}`, 'is not the name of a header');
  }
}

function originProblem(origin: string): string | undefined {
  if (origin === ANY_ORIGIN || origin === NULL_ORIGIN) return undefined;
  const [, ...others] = origin.split('*');
  if (others.length > 1) return 'has more than one *';
  const isPattern = others.length === 1;
  if (isPattern && !/^https?:\/\/\*\.[^*]/.test(origin))
    return 'has * elsewhere than in place of the first labels: https://*.example.com';
  const sample = isPattern ? origin.replace('*', 'a') : origin;
  const isOrigin = /^https?:/.test(sample) && URL.canParse(sample) && new URL(sample).origin === sample;
  return isOrigin ? undefined : 'must be an origin such as https://app.example.com, without a path';
}
