/** Switches a rule or a group on and off. The switch shows the server's state: it moves with the answer. */
import type { RuleRecord } from '../../../client/shapes.ts';
import { Check } from '../../parts/controls.tsx';
import { isRefusedByTag } from '../../state/failure.ts';
import { notify } from '../../state/toasts.ts';
import { useWrite } from '../../state/write.ts';

type Status = RuleRecord['status'];

interface TurnSwitchProps<Answer> {
  /** "The group “a”" */
  readonly what: string;
  readonly label: string;
  readonly status: Status;
  readonly send: (status: Status) => Promise<Answer>;
  readonly onChange: (answer: Answer) => void;
  readonly onRefused?: () => void;
}

export function TurnSwitch<Answer>(props: TurnSwitchProps<Answer>): JSX.Element {
  const { what, label, status, send, onChange, onRefused } = props;
  const write = useWrite();
  const turn = async (): Promise<void> => {
    const changed = await write.run(() => send(status === 'Active' ? 'Inactive' : 'Active'));
    if (changed !== undefined) return onChange(changed);
    const failure = write.failure.value;
    if (failure === undefined) return;
    notify(`${what} was not changed: ${isRefusedByTag(failure) ? 'another user changed it' : failure.message}`);
    onRefused?.();
  };
  return <Check label={label} hiddenLabel asSwitch checked={status === 'Active'} onChange={() => void turn()} />;
}
