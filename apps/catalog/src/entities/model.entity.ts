import { MODEL_TYPES, type Capability, type ModelType, type rest } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';
import { Provider } from './provider.entity';

export const MODEL_STATUSES = ['ACTIVE', 'DISABLED', 'ARCHIVED'] as const;
export type ModelStatus = (typeof MODEL_STATUSES)[number];

/** A model under the name that an organisation's clients use. */
@Entity('model')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'name'])
@Index(['providerId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => Provider, ['organisationId', 'providerId'], ['organisationId', 'id'])
@Check('model_type_check', oneOf('type', MODEL_TYPES))
@Check('model_status_check', oneOf('status', MODEL_STATUSES))
@Check('model_max_output_tokens_check', 'max_output_tokens > 0')
@Check('model_max_tool_calls_check', 'max_tool_calls > 0')
@Check('model_tokens_check', 'context_tokens > 0 AND default_max_output_tokens > 0')
export class Model {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  name!: string;

  @Column('uuid')
  providerId!: string;

  @Column('text')
  upstreamModel!: string;

  @Column('text')
  type!: ModelType;

  @Column('integer')
  contextTokens!: number;

  /** The output bound that is held and sent upstream when the client gives none. */
  @Column('integer', { nullable: true })
  defaultMaxOutputTokens!: number | null;

  /** Display name in lists of models; null: the name. */
  @Column('text', { nullable: true })
  displayName!: string | null;

  /** The model's largest output; null: unknown. */
  @Column('integer', { nullable: true })
  maxOutputTokens!: number | null;

  /** Calls of a server tool to hold when the request does not bound them. */
  @Column('integer', { default: 10 })
  maxToolCalls!: number;

  /** Capabilities in addition to text; null: unknown. */
  @Column('jsonb', { nullable: true })
  capabilities!: Capability[] | null;

  /** Null: no end is announced. */
  @Column('jsonb', { nullable: true })
  retirement!: rest.Retirement | null;

  @Column('text', { default: 'ACTIVE' })
  status!: ModelStatus;

  /** Regions in which its requests may be processed; empty: it adds no rule. */
  @Column('text', { array: true, default: [] })
  allowedRegions!: string[];

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
