/** How a response fails, how its body is sent, and its part in scenarios: docs/mocks.md. Closed until one of them is used. */
import type { JSX } from 'preact';
import type { MockResponse } from '../../../model/mocks/definition/definition.ts';
import type { ErrorAt } from './field-errors.ts';
import { JsonField } from './json-field.tsx';

interface BehaviourFieldsProps {
  readonly response: MockResponse;
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (response: MockResponse) => void;
}

const MEMBERS = [
  {
    name: 'fault',
    label: 'Fault',
    hint: 'empty, reset, hang, truncated, malformedChunk, garbage, wrongLength or status. Fails twice, then works:',
    example: '{"kind": "status", "status": 503, "first": 2}',
  },
  {
    name: 'delivery',
    label: 'Delivery',
    hint: 'In pieces ("chunks" and "overMs"), at a rate, or late ("firstByteMs"):',
    example: '{"bytesPerSecond": 20000}',
  },
  {
    name: 'scenario',
    label: 'Scenario',
    hint: "In which state of one of the settings' scenarios it answers, and which follows:",
    example: '{"name": "order", "requires": "new", "moveTo": "paid"}',
  },
] as const;

export function BehaviourFields({ response, canEdit, errorAt, onChange }: BehaviourFieldsProps): JSX.Element | null {
  const isUsed = MEMBERS.some(({ name }) => response[name] !== undefined);
  if (!canEdit && !isUsed) return null;
  return (
    <details class="behaviour" open={isUsed}>
      <summary>Faults, delivery, scenario</summary>
      {MEMBERS.map(({ name, label, hint, example }) => (
        <JsonField
          key={name}
          label={label}
          hint={hint}
          example={example}
          value={response[name]}
          canEdit={canEdit}
          error={errorAt(`/${name}`)}
          onChange={(value) => onChange({ ...response, [name]: value })}
        />
      ))}
      <p class="hint">
        <a href="console/docs/mocks#faults-and-delivery" target="_blank" rel="noreferrer">
          What clients see of each fault
        </a>
      </p>
    </details>
  );
}
