import type { rest } from '@tollgate/contracts';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';

import { bigintColumn } from '../../db/columns';
import { ApiKey } from '../../entities/api-key.entity';
import { Organisation } from '../../entities/organisation.entity';

/** Refused and failed requests of one hour with the same cause, summed from edges' reports. */
@Entity('refused_request')
@Unique(['hour', 'cause'])
@Index(['organisationId', 'hour'])
@Index(['organisationId', 'apiKeyId'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => ApiKey, ['organisationId', 'apiKeyId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
@Check('refused_request_count_check', 'count > 0')
export class RefusedRequest {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('timestamptz')
  hour!: Date;

  /** The columns from `organisationId` to `other` in one text. */
  @Column('text')
  cause!: string;

  /** Null: the key is missing or unknown. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  /** Null: of the playground, missing, unknown, or several keys. */
  @Column('uuid', { nullable: true })
  apiKeyId!: string | null;

  /** The first ten hexadecimal digits of an unknown key's SHA-256; else empty. */
  @Column('text')
  keyPrint!: string;

  /** A code of the gateway's error table. */
  @Column('text')
  code!: string;

  /** Empty: no limit refused. */
  @Column('text')
  limitId!: string;

  /** Empty: unknown, or the refusal does not depend on it. */
  @Column('text')
  model!: string;

  /** The provider that was called last. */
  @Column('uuid', { nullable: true })
  providerId!: string | null;

  /** The row sums causes that are not told apart, because there are too many. */
  @Column('boolean')
  other!: boolean;

  @Column(bigintColumn)
  count!: bigint;

  @Column('timestamptz')
  firstAt!: Date;

  @Column('timestamptz')
  lastAt!: Date;

  @Column('uuid')
  lastRequestId!: string;

  /** The limit that refused, as of the newest refusal. */
  @Column('jsonb', { nullable: true })
  limitState!: rest.RefusingLimit | null;

  /** What the newest refused request needed of the limit. */
  @Column('jsonb', { nullable: true })
  need!: rest.RefusalNeed | null;
}
