/** The codes of a mock that is written as stubs of WireMock. */
import { approximated, dropped, type CodeFacts } from './facts.ts';

export const WIREMOCK_EXPORT_CODES = {
  'wiremock-export.settings': dropped('WireMock has no place for this setting of the mock'),
  'wiremock-export.disabled': dropped('The route is disabled and left out'),
  'wiremock-export.selection': approximated('WireMock draws no responses: the first one answers always'),
  'wiremock-export.rule': dropped('A rule cannot be expressed, and without it the stub would answer other requests'),
  'wiremock-export.scenario': dropped('A stub has a part in one scenario alone'),
  'wiremock-export.fault': dropped('WireMock has no such fault'),
  'wiremock-export.delivery': dropped('WireMock sends a body in parts or as a whole'),
  'wiremock-export.latency': approximated(
    'WireMock has no such distribution of latency: the response waits for a middle time',
  ),
  'wiremock-export.template': approximated('WireMock has no such helper, or prints it otherwise'),
} as const satisfies Record<string, CodeFacts>;
