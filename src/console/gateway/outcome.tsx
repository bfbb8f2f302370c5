/** Outcomes of exchanges in words. */
import type { ExchangeSummary } from '../../client/shapes.ts';

type Outcome = ExchangeSummary['outcome'];

const WORDS: Readonly<Record<Outcome, readonly [word: string, badge: string, meaning: string]>> = {
  forward: ['proxied', 'badge', 'The upstream answered.'],
  redirect: ['redirected', 'badge warn', 'A rule sent the client to another URL.'],
  blocked: ['blocked', 'badge bad', 'A Cancel rule blocked it.'],
  served: ['answered by a rule', 'badge good', 'A rule answered instead of the upstream.'],
  failed: ['failed', 'badge bad', 'The upstream did not answer.'],
  tunnelled: ['tunnel', 'badge', 'Not decrypted: no rules apply.'],
};

export const OUTCOMES = Object.entries(WORDS).map(([outcome, [word]]) => [outcome, word] as const);

export const OutcomeBadge = ({ outcome }: Pick<ExchangeSummary, 'outcome'>): JSX.Element => {
  const [word, badge, meaning] = WORDS[outcome] ?? [outcome, 'badge', ''];
  return (
    <span class={badge} title={meaning}>
      {word}
    </span>
  );
};

interface Place {
  readonly origin: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

/** A tunnel has only a host and a port. */
export function placeOf({ url }: Pick<ExchangeSummary, 'url'>): Place {
  if (!/^\w+:\/\//.test(url) || !URL.canParse(url)) return { origin: '', host: url, path: '', query: '' };
  const { origin, host, pathname, search } = new URL(url);
  return { origin, host, path: pathname, query: search.slice(1) };
}
