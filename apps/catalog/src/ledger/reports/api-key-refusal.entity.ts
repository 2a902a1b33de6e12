import type { rest } from '@tollgate/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { ApiKey } from '../../entities/api-key.entity';

/** Refusals of one key with the same cause, summed from policies' reports. */
@Entity('api_key_refusal')
@Unique(['apiKeyId', 'code', 'about'])
@Index(['apiKeyId', 'lastAt', 'id'])
@Index(['organisationId', 'lastAt'])
@ForeignKey(() => ApiKey, ['organisationId', 'apiKeyId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('api_key_refusal_count_check', 'count > 0')
export class ApiKeyRefusal {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid')
  apiKeyId!: string;

  /** A code of the gateway's error table. */
  @Column('text')
  code!: string;

  /** The id of the limit that refused, or the requested model, or empty. */
  @Column('text')
  about!: string;

  /** Why the key was invalid. */
  @Column('text', { nullable: true })
  reason!: string | null;

  @Column(bigintColumn)
  count!: bigint;

  @Column('timestamptz')
  firstAt!: Date;

  @Column('timestamptz')
  lastAt!: Date;

  @Column('uuid')
  lastRequestId!: string;

  @Column('text', { nullable: true })
  lastModel!: string | null;

  /** The message of the newest refusal. */
  @Column('text')
  message!: string;

  /** The limit that refused, as of the newest refusal. */
  @Column('jsonb', { nullable: true })
  limitState!: rest.RefusingLimit | null;

  /** What the newest refused request needed of that limit. */
  @Column('jsonb', { nullable: true })
  need!: rest.RefusalNeed | null;
}
