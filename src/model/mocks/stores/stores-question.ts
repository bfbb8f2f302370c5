/** Questions to the live stores of a mock, and their answers. */
import type { StoreRecord } from './store-schema.ts';

/** A question to the live stores of a mock or session. */
export interface StoresQuestion {
  readonly mockId: string;
  readonly session?: string;
  readonly action:
    | { readonly kind: 'list' | 'dump' }
    | { readonly kind: 'read'; readonly name: string; readonly itemId?: string | undefined }
    | {
        readonly kind: 'put' | 'merge' | 'remove';
        readonly name: string;
        readonly itemId?: string | undefined;
        /** JSON. */
        readonly value?: string | undefined;
        readonly ifMatch?: string | undefined;
      };
}

export type StoresAnswer =
  /** `dump`: what `try` takes; JSON. */
  | { readonly kind: 'stores'; readonly stores: readonly StoreRecord[]; readonly dump?: string }
  | { readonly kind: 'store'; readonly store: StoreRecord; readonly value: string }
  | {
      readonly kind: 'refused';
      readonly why: 'storeNotFound' | 'itemNotFound' | 'preconditionFailed' | 'invalid' | 'full';
      readonly problem?: string;
    };
