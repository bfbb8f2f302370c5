/** All helpers of templates, by name. */
import type { HelperName } from '../../../languages/templates/signatures.ts';
import { DATA_HELPERS } from './helpers/data.ts';
import { ENCODING_HELPERS } from './helpers/encoding.ts';
import { LOGIC_HELPERS } from './helpers/logic.ts';
import { MATH_HELPERS } from './helpers/math.ts';
import { RANDOM_HELPERS } from './helpers/random.ts';
import { REQUEST_HELPERS } from './helpers/request.ts';
import { STATE_HELPERS } from './helpers/state.ts';
import { TEXT_HELPERS } from './helpers/text.ts';
import { TIME_HELPERS } from './helpers/time.ts';
import { TOKEN_HELPERS } from './helpers/tokens.ts';
import type { Helpers } from './helper.ts';

export const HELPERS: Helpers<HelperName> = {
  ...REQUEST_HELPERS,
  ...LOGIC_HELPERS,
  ...MATH_HELPERS,
  ...TEXT_HELPERS,
  ...TIME_HELPERS,
  ...DATA_HELPERS,
  ...ENCODING_HELPERS,
  ...TOKEN_HELPERS,
  ...RANDOM_HELPERS,
  ...STATE_HELPERS,
};
