/** Routes made from recorded exchanges: whether the mock answers as recorded, and the fidelity report. */
import type { ComponentChildren } from 'preact';
import type { ReplayCheck, StagedRecording } from '../../../client/upstream-shapes.ts';
import { FidelityReport } from '../../parts/fidelity-report.tsx';
import { SafeBlock, SafeLine } from '../../parts/safe-text.tsx';
import { Section } from '../../parts/section.tsx';

interface StagedProps {
  readonly title: string;
  readonly staged: Pick<StagedRecording, 'check' | 'report'>;
  /** The next step. */
  readonly children: ComponentChildren;
}

export const StagedReport = ({ title, staged: { check, report }, children }: StagedProps): JSX.Element => (
  <Section title={title}>
    {check === null ? (
      <p class="warning">The check took too long. Record or stage fewer exchanges.</p>
    ) : (
      <ReplayCheckView check={check} />
    )}
    <p>{children}</p>
    <FidelityReport report={report} />
  </Section>
);

const REASON_WORDS = {
  noRoute: 'no route matches',
  otherRoute: 'another response matches',
  status: 'the status differs',
  mediaType: 'the media type differs',
  header: 'a header differs',
  body: 'the body differs',
} as const;

const ReplayCheckView = ({ check: { summary, different } }: { readonly check: ReplayCheck }): JSX.Element => (
  <div class="stack">
    <p class={different.length === 0 ? '' : 'warning'} role="status">
      <SafeLine text={summary} max={500} />.
    </p>
    {different.length > 0 && (
      <ul class="items" aria-label="Exchanges that differ">
        {different.map(({ number, request, reason, at, recorded, answered }) => (
          <li key={number}>
            <details>
              <summary>
                <SafeLine text={request} max={300} />: {REASON_WORDS[reason]}
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
