import { testPart } from "./run-reduced";

testPart("plugin", "quick");
