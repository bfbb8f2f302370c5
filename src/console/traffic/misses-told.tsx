/** Says how many requests were missed, for those who listen: traffic itself is no live region. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { missedIn } from '../parts/rates.ts';
import type { TrafficFeed } from './traffic-feed.ts';

const EVERY_SECONDS = 10;

export function MissesTold({ feed }: { readonly feed: TrafficFeed }): JSX.Element {
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setInterval(() => {
      const missed = missedIn(feed.rates.peek(), EVERY_SECONDS);
      setText(missed === 0 ? '' : `${missed.toLocaleString('en')} ${missed === 1 ? 'miss' : 'misses'} in 10 s`);
    }, EVERY_SECONDS * 1_000);
    return () => clearInterval(timer);
  }, [feed]);
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}
