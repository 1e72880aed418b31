import { testHalf } from "./run-reduced";

testHalf(0);
