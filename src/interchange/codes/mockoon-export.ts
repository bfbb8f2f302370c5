/** The codes of a mock that is written as an environment of Mockoon. */
import { approximated, dropped, type CodeFacts } from './facts.ts';

export const MOCKOON_EXPORT_CODES = {
  'mockoon-export.settings': dropped('Mockoon has no place for this setting of the mock'),
  'mockoon-export.disabled': dropped('The route is disabled and left out'),
  'mockoon-export.method': dropped('Mockoon has no such method'),
  'mockoon-export.path': dropped('Mockoon has no such path'),
  'mockoon-export.pattern': approximated('The pattern of a path parameter is left out: other values are answered, too'),
  'mockoon-export.weights': approximated('Mockoon draws responses with the same chance each'),
  'mockoon-export.rule': dropped('A rule cannot be expressed, and without it the response would answer other requests'),
  'mockoon-export.behaviour': dropped('Mockoon has no faults, deliveries and scenarios'),
  'mockoon-export.latency': approximated(
    'Mockoon has no distributions of latency: the response waits for a middle time',
  ),
  'mockoon-export.binary': dropped('Mockoon has bodies of bytes in files alone: this one is written as base64'),
  'mockoon-export.template': approximated('Mockoon has no such helper, or prints it otherwise'),
} as const satisfies Record<string, CodeFacts>;
