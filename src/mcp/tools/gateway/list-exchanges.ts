/** What rules did to live traffic. */
import { EXCHANGE_OUTCOMES } from '../../../model/gateway/exchange.ts';
import { Type } from '../../../model/schema-type.ts';
import { fitting } from '../../page.ts';
import { tool } from '../tool.ts';

const PAGE = 30;

export const listExchanges = tool({
  name: 'gateway_requests',
  verb: 'gateway requests',
  access: 'read',
  description:
    'Lists live exchanges of the gateway, newest first: which rules acted, or why the upstream did not answer. With `id` one of them: what each rule changed, and why the others did nothing.',
  input: Type.Object({
    id: Type.Optional(Type.String()),
    session: Type.Optional(Type.String({ description: 'A session of the gateway.' })),
    host: Type.Optional(Type.String()),
    ruleId: Type.Optional(Type.String()),
    outcome: Type.Optional(Type.Enum([...EXCHANGE_OUTCOMES])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    before: Type.Optional(Type.Integer({ minimum: 1, description: '`nextBefore` of the page before.' })),
  }),
  async run(api, { id, limit = PAGE, ...filters }) {
    if (id !== undefined) return { data: (await api.get(['gateway', 'requests', id])).data, isRecorded: true };
    const { data, envelope } = await api.get<{ id: string }[]>(['gateway', 'requests'], { ...filters, limit });
    const kept = fitting(data);
    const { total, truncated, nextBefore } = envelope as unknown as Page;
    const next = kept.length < data.length ? Number(data[kept.length - 1]?.id) : nextBefore;
    return { data: { requests: kept, total, olderWereDropped: truncated, nextBefore: next }, isRecorded: true };
  },
});

interface Page {
  readonly total: number;
  readonly truncated: boolean;
  readonly nextBefore: number | null;
}
