/** Whether a mock answers as recorded: the verdict, and each exchange that differs. */
import type { ReplayCheck } from '../../../client/upstream-shapes.ts';
import { SafeBlock, SafeLine } from '../../parts/safe-text.tsx';

const REASON_WORDS = {
  noRoute: 'no route matches',
  otherRoute: 'another response matches',
  status: 'the status differs',
  mediaType: 'the media type differs',
  header: 'a header differs',
  body: 'the body differs',
} as const;

export const ReplayCheckView = ({ check: { summary, different } }: { readonly check: ReplayCheck }): JSX.Element => (
  <div class="stack">
    <p class={different.length === 0 ? '' : 'warning'} role="status">
      <SafeLine text={summary} max={500} />.
    </p>
    {different.length > 0 && (
      <ul class="replay-differences" aria-label="Exchanges that differ">
        {different.map(({ number, request, reason, at, recorded, answered }) => (
          <li key={number}>
            <details>
              <summary>
                <span class="monospace">
                  <SafeLine text={request} max={300} />
                </span>
                : {REASON_WORDS[reason]}
                {at !== null && at !== '' && (
                  <>
                    {' '}
                    at <SafeLine text={at} max={200} />
                  </>
                )}
              </summary>
              <p class="muted">Recorded</p>
              <SafeBlock text={recorded ?? 'nothing'} />
              <p class="muted">The mock answers</p>
              <SafeBlock text={answered ?? 'nothing'} />
            </details>
          </li>
        ))}
      </ul>
    )}
  </div>
);
