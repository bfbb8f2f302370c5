/** One of four files, which run in as many workers. */
import { shopTests } from './shop-tests.js';

shopTests('baskets', 12);
