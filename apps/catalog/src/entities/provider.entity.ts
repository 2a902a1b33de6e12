import {
  PROVIDER_TYPES,
  UPSTREAM_FORMATS,
  type PassthroughRule,
  type ProviderType,
  type UpstreamFormat,
} from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

export const PROVIDER_STATUSES = ['ACTIVE', 'DISABLED', 'ARCHIVED'] as const;
export type ProviderStatus = (typeof PROVIDER_STATUSES)[number];

/**
 * An upstream as the console edits it. The edge never reads this row; it reads the connection
 * published from it at `connectionVersion`.
 */
@Entity('provider')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'name'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('provider_type_check', oneOf('type', PROVIDER_TYPES))
@Check('provider_upstream_format_check', oneOf('upstream_format', UPSTREAM_FORMATS))
@Check('provider_status_check', oneOf('status', PROVIDER_STATUSES))
@Check(
  'provider_timeouts_check',
  'timeout_ms > 0 AND connect_timeout_ms > 0 AND first_byte_timeout_ms > 0 AND idle_timeout_ms > 0',
)
export class Provider {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  type!: ProviderType;

  @Column('text')
  upstreamFormat!: UpstreamFormat;

  @Column('text')
  baseUrl!: string;

  /** Azure's `api-version`. */
  @Column('text', { nullable: true })
  apiVersion!: string | null;

  /** It declares that it has the Responses API; those that have it by their type need not. */
  @Column('boolean', { default: false })
  nativeResponses!: boolean;

  /** Where its upstream processes requests, by a name of the organisation's; null: unknown. */
  @Column('text', { nullable: true })
  region!: string | null;

  /** Connections from this version on have that region. */
  @Column('integer', { default: 1 })
  regionFromVersion!: number;

  /** Extra headers sent upstream; not secret. */
  @Column('jsonb', { default: {} })
  headers!: Record<string, string>;

  /** Of a whole attempt. */
  @Column('integer', { default: 600_000 })
  timeoutMs!: number;

  @Column('integer', { default: 5_000 })
  connectTimeoutMs!: number;

  @Column('integer', { default: 120_000 })
  firstByteTimeoutMs!: number;

  /** Between two chunks of a stream. */
  @Column('integer', { default: 60_000 })
  idleTimeoutMs!: number;

  /** Endpoints that may be called as they are; the first rule that matches counts. */
  @Column('jsonb', { default: [] })
  passthroughRules!: PassthroughRule[];

  @Column('text', { default: 'ACTIVE' })
  status!: ProviderStatus;

  /** The newest version in `provider_connection`; 0 before the first. */
  @Column('integer', { default: 0 })
  connectionVersion!: number;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
