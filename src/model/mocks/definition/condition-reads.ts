/** Parts of a request beside its head and body that conditions read: a thread looks at them only for these. */
import { storeHelpersIn } from '../../../languages/templates/template-checks.ts';
import type { MatchCondition } from './condition-schema.ts';

type Reads = (rule: Pick<MatchCondition, 'target' | 'property'>) => boolean;

/** A template may read the address and the number: that is cheaper than to know. */
export const readsAddress: Reads = ({ target }) => target === 'clientIp' || target === 'template';
export const readsOrder: Reads = ({ target }) => target === 'requestNumber' || target === 'template';
export const readsStores: Reads = ({ target, property }) =>
  target === 'store' || target === 'global' || (target === 'template' && storeHelpersIn(property));
