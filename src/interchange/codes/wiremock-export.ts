/** The codes of a mock that is written as stubs of WireMock. */
import { approximated, dropped, droppedPart, type CodeFacts } from './facts.ts';

const KEEP_OWN = 'Keep the file of the format `switchyard` as the source: it has everything';

export const WIREMOCK_EXPORT_CODES = {
  'wiremock-export.settings': droppedPart('WireMock has no place for this setting of the mock', KEEP_OWN),
  'wiremock-export.disabled': dropped('The route is disabled and left out', 'Enable the route before the export'),
  'wiremock-export.selection': approximated(
    'WireMock draws no responses: the first one answers always',
    'Use `sequential`, which becomes a scenario',
  ),
  'wiremock-export.rule': dropped(
    'Left out: this response has a condition WireMock cannot express, and would match too much without it',
    'Write the condition with the matchers that WireMock has',
  ),
  'wiremock-export.scenario': dropped(
    'A stub has a part in one scenario alone',
    'Put the states of both scenarios into one',
  ),
  'wiremock-export.fault': dropped('WireMock has no such fault', 'Use `empty`, `reset`, `garbage` or `malformedChunk`'),
  'wiremock-export.proxy': approximated(
    'What is sent on, or its answer, is another in WireMock',
    'Change what the message names in the stub, or keep the file of the format `switchyard` as the source',
  ),
  'wiremock-export.callback': droppedPart('WireMock has no place for this part of a callback', KEEP_OWN),
  'wiremock-export.websocket': dropped('WebSocket routes are left out', KEEP_OWN),
  'wiremock-export.store': approximated(
    'WireMock has no stores: what the store begins with is written as fixed answers',
    KEEP_OWN,
  ),
  'wiremock-export.stream': approximated('WireMock has no streams: the events are written as one body, once', KEEP_OWN),
  'wiremock-export.delivery': droppedPart(
    'WireMock sends a body in parts or as a whole',
    'Use a delivery with `chunks` and `overMs`',
  ),
  'wiremock-export.latency': approximated(
    'WireMock has no such distribution of latency: the response waits for a middle time',
    'Use a fixed latency, one with `min` and `max`, or one with `median` and `sigma`',
  ),
  'wiremock-export.template': approximated(
    'WireMock has no such helper, or prints it otherwise',
    'Replace the helper by one that WireMock has',
  ),
} as const satisfies Record<string, CodeFacts>;
