/** A new mock: template, name, optional id, and whether it starts at once. */
import { useMemo, useState } from 'preact/hooks';
import type { Client } from '../../client/index.ts';
import { errorsOf } from '../parts/bound.ts';
import { Check, SelectField, TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { navigate } from '../state/place.ts';
import { api } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { newIdempotencyKey, useWrite } from '../state/write.ts';

type Recipe = Parameters<Client['mocks']['importRecipe']>[0];

/** Names of the recipes. */
const RECIPES: Readonly<Record<Recipe, string>> = {
  'openai-chat': 'OpenAI chat',
  'openai-responses': 'OpenAI responses',
  'anthropic-messages': 'Anthropic messages',
  'graphql-ws': 'GraphQL over WebSocket',
  'mcp-server': 'MCP server',
  oidc: 'OpenID provider',
};

export function NewMock({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [recipe, setRecipe] = useState<Recipe | ''>('');
  const [name, setName] = useState('');
  const [id, setId] = useState('');
  const [start, setStart] = useState(true);
  // The idempotency key makes a retry safe.
  const idempotencyKey = useMemo(newIdempotencyKey, [recipe, name, id, start]);
  const write = useWrite();
  const given = { ...(id === '' ? {} : { id }), start };
  const make = async () => {
    if (recipe === '') return api().mocks.create({ ...given, name }, { idempotencyKey });
    const named = name.trim() === '' ? given : { ...given, name };
    const { mocks, published } = await api().mocks.importRecipe(recipe, { ...named, idempotencyKey });
    return mocks[0] && { ...mocks[0], published };
  };
  const create = async (): Promise<void> => {
    const mock = await write.run(make);
    if (mock === undefined) return;
    if (mock.published === false) notify('The mock is stored. Not every thread serves it yet.');
    navigate(['mocks', mock.id, 'routes']);
  };
  const errorAt = errorsOf(write.failure.value);
  const [ofName, ofId] = [errorAt('/name') ?? errorAt('name'), errorAt('/id') ?? errorAt('id')];
  return (
    <FormDialog
      title="New mock"
      submit="Create"
      onSubmit={() => void create()}
      onClose={onClose}
      write={write}
      {...((ofName ?? ofId) === undefined ? { what: 'Creating the mock' } : {})}
    >
      <SelectField
        label="Start with"
        value={recipe}
        options={[['', 'No routes'], ...(Object.entries(RECIPES) as [Recipe, string][])]}
        onChange={setRecipe}
      />
      <TextField
        label={recipe === '' ? 'Name' : 'Name (optional)'}
        value={name}
        onInput={setName}
        takesFocus
        error={ofName === undefined ? undefined : `A mock's name ${ofName}.`}
        hint="Such as “Payments”."
      />
      <TextField
        label="Id (optional)"
        value={id}
        onInput={setId}
        monospace
        error={ofId && `Id: ${ofId}.`}
        hint="Part of its address: a letter, then up to 20 letters and digits. A recreated mock with the same id keeps the address."
      />
      <Check label="Start immediately" checked={start} onChange={setStart} />
    </FormDialog>
  );
}
