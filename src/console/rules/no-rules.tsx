/** What rules are, and how the first one comes to be. */
import type { JSX } from 'preact';
import { Button } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Empty } from '../parts/states.tsx';
import { API_URL, mayEdit } from '../state/session.ts';
import { RuleTypes } from './rule-types.tsx';

const EXAMPLE = {
  name: 'Payments to staging',
  ruleType: 'Redirect',
  pairs: [
    {
      source: { key: 'Url', operator: 'Contains', value: 'pay.example.com' },
      destinationType: 'url',
      destination: 'https://staging.example.com',
    },
  ],
};

export function NoRules({ onImport }: { readonly onImport: () => void }): JSX.Element {
  const command = `curl -X POST ${API_URL}/rules -H "x-api-key: $SWITCHYARD_API_KEY" -H 'content-type: application/json' -d '${JSON.stringify(EXAMPLE)}'`;
  return (
    <Empty title="No rules yet">
      <p>
        A rule says what becomes of requests that fit it. It is stored here for the gateways and browsers that apply it,
        and the test bench tells what all rules together would do to a request.
      </p>
      {mayEdit.value ? (
        <>
          <p>Choose what the first one is to do:</p>
          <RuleTypes />
          <p class="row">
            <Button onClick={onImport}>Import a file</Button>
            <span class="muted">of Requestly or of Switchyard</span>
          </p>
          <p>Or from a terminal, with the key in SWITCHYARD_API_KEY:</p>
          <div class="command">
            <code>{command}</code>
            <CopyButton text={command} what="the command" />
          </div>
        </>
      ) : (
        <p>Somebody with an editor's key has to make one.</p>
      )}
    </Empty>
  );
}
