import { Check, Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { oneOf } from '../db/columns';
import { Provider } from './provider.entity';

export const PROVIDER_API_KEY_STATUSES = ['ACTIVE', 'DRAINING', 'DISABLED', 'REVOKED'] as const;
export type ProviderApiKeyStatus = (typeof PROVIDER_API_KEY_STATUSES)[number];

/** An upstream secret, sealed with AES-256-GCM under the key-encryption key named by `keyId`. */
@Entity('provider_api_key')
@Index(['providerId'])
@ForeignKey(() => Provider, ['organisationId', 'providerId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('provider_api_key_status_check', oneOf('status', PROVIDER_API_KEY_STATUSES))
@Check('provider_api_key_weight_check', 'weight > 0')
export class ProviderApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid')
  providerId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  keyId!: string;

  @Column('bytea')
  nonce!: Buffer;

  @Column('bytea')
  ciphertext!: Buffer;

  @Column('bytea')
  tag!: Buffer;

  @Column('text')
  preview!: string;

  /** Share of requests, relative to the provider's other keys. */
  @Column('integer', { default: 1 })
  weight!: number;

  @Column('text', { default: 'ACTIVE' })
  status!: ProviderApiKeyStatus;

  /** When it got its status. */
  @Column('timestamptz', { default: () => 'now()' })
  statusSince!: Date;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
