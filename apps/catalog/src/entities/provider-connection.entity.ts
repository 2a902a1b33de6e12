import {
  PROVIDER_TYPES,
  UPSTREAM_FORMATS,
  type ProviderType,
  type UpstreamFormat,
} from '@tollgate/contracts';
import { Check, Column, CreateDateColumn, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { oneOf } from '../db/columns';
import { Provider } from './provider.entity';

export interface ConnectionSecret {
  apiKeyId: string;
  weight: number;
}

/**
 * One published version of a provider's connection. Never updated, so that a request is served with
 * what it was authorised with. Secrets are references: re-encrypting one affects all versions, and
 * a deleted one is in none.
 */
@Entity('provider_connection')
@ForeignKey(() => Provider, ['organisationId', 'providerId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('provider_connection_provider_type_check', oneOf('provider_type', PROVIDER_TYPES))
@Check('provider_connection_upstream_format_check', oneOf('upstream_format', UPSTREAM_FORMATS))
export class ProviderConnection {
  @PrimaryColumn('uuid')
  providerId!: string;

  @PrimaryColumn('integer')
  version!: number;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  providerName!: string;

  @Column('text')
  providerType!: ProviderType;

  @Column('text')
  upstreamFormat!: UpstreamFormat;

  @Column('text')
  baseUrl!: string;

  @Column('text', { nullable: true })
  apiVersion!: string | null;

  @Column('jsonb')
  headers!: Record<string, string>;

  @Column('integer')
  timeoutMs!: number;

  @Column('integer')
  connectTimeoutMs!: number;

  @Column('integer')
  firstByteTimeoutMs!: number;

  @Column('integer')
  idleTimeoutMs!: number;

  @Column('jsonb')
  secrets!: ConnectionSecret[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
