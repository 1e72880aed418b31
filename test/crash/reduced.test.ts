import { testPart } from "./run-reduced";

testPart("quick");
