/** The codes of a mock that is written as an environment of Mockoon. */
import { approximated, dropped, droppedPart, type CodeFacts } from './facts.ts';

const KEEP_OWN = 'Keep the file of the format `switchyard` as the source: it has everything';

export const MOCKOON_EXPORT_CODES = {
  'mockoon-export.settings': droppedPart('Mockoon has no place for this setting of the mock', KEEP_OWN),
  'mockoon-export.disabled': dropped('The route is disabled and left out', 'Enable the route before the export'),
  'mockoon-export.method': dropped('Mockoon has no such method', 'Use a method that Mockoon has, or `ANY`'),
  'mockoon-export.path': dropped('Mockoon has no such path', 'Write the path without text next to parameters'),
  'mockoon-export.pattern': approximated(
    'The pattern of a path parameter is left out: other values are answered, too',
    'Add a condition on the `urlParam`',
  ),
  'mockoon-export.weights': approximated(
    'Mockoon draws responses with the same chance each',
    'Repeat a response in Mockoon to give it a higher chance',
  ),
  'mockoon-export.rule': dropped(
    'Left out: this response has a condition Mockoon cannot express, and would match too much without it',
    'Write the condition with the operators and targets that Mockoon has',
  ),
  'mockoon-export.websocket': droppedPart('Mockoon has no place for this part of a WebSocket route', KEEP_OWN),
  'mockoon-export.stream': approximated('Mockoon has no streams: the events are written as one body, once', KEEP_OWN),
  'mockoon-export.behaviour': droppedPart(
    'Mockoon has no faults, deliveries, scenarios, proxies and steps on stores of a response',
    KEEP_OWN,
  ),
  'mockoon-export.callback': droppedPart('Mockoon has no place for this part of a callback', KEEP_OWN),
  'mockoon-export.proxy': approximated(
    'What is sent on, or its answer, is another in Mockoon',
    'Change what the message names in Mockoon, or keep the file of the format `switchyard` as the source',
  ),
  'mockoon-export.latency': approximated(
    'Mockoon has no distributions of latency: the response waits for a middle time',
    'Use a fixed latency',
  ),
  'mockoon-export.binary': droppedPart(
    'Mockoon has bodies of bytes in files alone: this one is written as base64',
    'Write the bytes into a file, and name it in Mockoon',
  ),
  'mockoon-export.template': approximated(
    'Mockoon has no such helper, or prints it otherwise',
    'Replace the helper by one that Mockoon has',
  ),
} as const satisfies Record<string, CodeFacts>;
