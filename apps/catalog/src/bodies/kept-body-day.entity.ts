import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

import { bigintColumn } from '../db/columns';
import { Organisation } from '../entities/organisation.entity';

/** What an organisation has kept in a day (UTC). */
@Entity('kept_body_day')
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
export class KeptBodyDay {
  @PrimaryColumn('uuid')
  organisationId!: string;

  @PrimaryColumn('date')
  day!: string;

  @Column(bigintColumn)
  bytes!: bigint;
}
