/** Limits of one owner that override those of the server: `switchyard owners quota`. */
import type { Limits } from '../limits.ts';

export interface OwnerQuota {
  readonly rulesPerOwnerMax?: number;
  readonly groupsPerOwnerMax?: number;
  readonly mocksPerOwnerMax?: number;
  readonly ownerMockBytesMax?: number;
  /** Requests per second and key; 0 for any number. */
  readonly requestsPerSecond?: number;
}

export function limitsWith(limits: Limits, quota: OwnerQuota): Limits {
  const { mocks } = limits;
  return {
    ...limits,
    rulesPerOwnerMax: quota.rulesPerOwnerMax ?? limits.rulesPerOwnerMax,
    groupsPerOwnerMax: quota.groupsPerOwnerMax ?? limits.groupsPerOwnerMax,
    mocks: {
      ...mocks,
      mocksPerOwnerMax: quota.mocksPerOwnerMax ?? mocks.mocksPerOwnerMax,
      ownerMockBytesMax: quota.ownerMockBytesMax ?? mocks.ownerMockBytesMax,
    },
  };
}
