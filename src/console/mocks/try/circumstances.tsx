/** What else happens to the request of a dry run: latency, faults, delivery, scenarios, rate limit. Nothing where none is used. */
import type { JSX } from 'preact';
import { SafeLine } from '../../parts/safe-text.tsx';
import { deliveryWords, FAULT_WORDS, rateLimitWords } from './behaviour-words.ts';
import type { Explanation } from './explanation.ts';

export function Circumstances({ explanation }: { readonly explanation: Explanation }): JSX.Element | null {
  const lines = linesOf(explanation);
  if (lines.length === 0) return null;
  return (
    <ul class="why" aria-label="What else happens">
      {lines.map((line, index) => (
        <li key={index}>
          <SafeLine text={line} />
        </li>
      ))}
    </ul>
  );
}

function linesOf({ latency, faults, delivery, scenarios, rateLimit }: Explanation): readonly string[] {
  return [
    ...(faults ?? []).map(
      ({ kind, of, chance, reason }) =>
        `Fault of the ${of}: ${kind} (${FAULT_WORDS[kind]}), ${chanceWords(chance)}: ${reason}.`,
    ),
    ...(latency !== undefined && latency !== null && latency.ms > 0
      ? [`Latency: ${latency.ms} ms${latency.isChance ? ', drawn anew for each request' : ''}.`]
      : []),
    ...(delivery === undefined ? [] : [`Delivery: ${deliveryWords(delivery)}.`]),
    ...(scenarios ?? []).map(({ name, before, after }) =>
      before === after ? `Scenario ${name} stays ${before}.` : `Scenario ${name} moves from ${before} to ${after}.`,
    ),
    ...(rateLimit === undefined || rateLimit === null ? [] : [`Rate limit: ${rateLimitWords(rateLimit)}.`]),
  ];
}

function chanceWords(chance: number): string {
  if (chance === 0) return 'does not strike';
  return chance === 1 ? 'strikes' : `strikes with a chance of ${chance}`;
}
