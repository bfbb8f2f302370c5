/** Checks of what settings add to every response: headers, clock, variables and a proxy. */
import { parseTime } from '../../../languages/parse-time.ts';
import { offsetSteps } from '../../../languages/time-shift.ts';
import { templateProblem } from '../../../languages/templates/template-checks.ts';
import { SETTINGS_VARIABLES_CHARS_MAX } from '../../../limits.ts';
import type { Report } from '../behaviour/behaviour-checks.ts';
import type { MockSettings } from './definition.ts';
import { headerProblem } from './edit-checks.ts';
import { pointerTo } from './pointer.ts';
import { checkStores } from '../stores/store-checks.ts';
import { checkProxy } from '../upstream/proxy.ts';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** @param sharedDomains As in header-value.ts. */
export function checkAdded(
  { headers = [], clock, variables = {}, proxy, stores = [] }: MockSettings,
  sharedDomains: readonly string[],
  report: Report,
): void {
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
  checkStores({ stores }, (path, problem) => report(`/stores${path}`, problem));
  if (proxy !== undefined && proxy !== null) {
    checkProxy(proxy, sharedDomains, (path, problem) => report(`/proxy${path}`, problem));
  }
  if (JSON.stringify(variables).length > SETTINGS_VARIABLES_CHARS_MAX) {
    report('/variables', `must have at most ${SETTINGS_VARIABLES_CHARS_MAX} characters of JSON`);
  }
}
