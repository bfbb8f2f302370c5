/** The result of a replay check, and the fidelity report. */
import type { ComponentChildren } from 'preact';
import type { StagedRecording } from '../../../client/upstream-shapes.ts';
import { FidelityReport } from '../../parts/fidelity-report.tsx';
import { ReplayCheckView } from './replay-check-view.tsx';

interface StagedProps {
  readonly title: string;
  readonly staged: Pick<StagedRecording, 'check' | 'report'>;
  /** The next step. */
  readonly children: ComponentChildren;
}

export const StagedReport = ({ title, staged: { check, report }, children }: StagedProps): JSX.Element => (
  <section class="stack" aria-labelledby="recording-staged">
    <h3 id="recording-staged">{title}</h3>
    {check === null ? (
      <p class="warning">The check took too long. Record or stage fewer exchanges.</p>
    ) : (
      <ReplayCheckView check={check} />
    )}
    <p>{children}</p>
    <FidelityReport report={report} />
  </section>
);
